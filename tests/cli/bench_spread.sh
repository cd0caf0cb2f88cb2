# For tests of penta bench, after lib.sh.

spread_in_order() # FILE: an answer of the bench; medians lie between quartiles, and these between the least and the most
{
    jq -e '[.rows[] | .min_ms > 0 and .min_ms <= .q1_ms and .q1_ms <= .median_ms and .median_ms <= .q3_ms
            and .q3_ms <= .max_ms] | all' "$1" >seen || fail "medians and quartiles of $1 are not in order"
    jq -e '[.rows[] | select(.runs == 1) | .min_ms == .max_ms and .q1_ms == .q3_ms] | all' "$1" >seen ||
        fail "a single run of $1 has a spread"
}
