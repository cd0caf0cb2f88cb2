# Rotors of a sheet of heart muscle in noise as large as half of the signal, and none where waves only pass.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sheet=(--kind tissue --width 64 --height 60 --snr 2 --speed 25 -q)

# ---- a rotor: every frame has it, and hardly anything else is found ----
expect 0 sample optmap "${sheet[@]}" --rate 400 --frames 240 --time-unit 2.2 --rotors '32,30,1' --dead 1 --hot 1 --telegraph 2 --seed 5 \
    -o rotor
expect 0 optmap --rate 400 --no-report -q --json -o found rotor/movie.npy
json '.rotors >= 1 and .phase_pixels > 1500'
jq -r '.tips | to_entries[] | .key as $n | .value[] | "\($n) \(join(" "))"' rotor/truth.json | tr -d , >tips
awk -F, 'NR > 1 { print $1, $2, $3, $4 }' found/singularities.csv >seen
awk 'NR == FNR { n[$1]++; x[$1, n[$1]] = $2; y[$1, n[$1]] = $3; q[$1, n[$1]] = $4; all++; next }
    { hit = 0
      for (i = 1; i <= n[$1] && !hit; i++)
          if (q[$1, i] == $4 && ($2 - x[$1, i]) ^ 2 + ($3 - y[$1, i]) ^ 2 < 36) { hit = 1; q[$1, i] = 0 }
      hits += hit; others += !hit }
    END { print (hits >= 0.95 * all), (others <= 0.1 * 240) }' tips seen >verdict
equal "$(cat verdict)" '1 1' 'tips found, and what else was'

# the smoothing of the phase alters nothing else
expect 0 optmap --rate 400 --no-report -q --phase-sigma 0 --phase-time 0 -o bare rotor/movie.npy
cmp bare/filtered.npy found/filtered.npy || fail 'filtered.npy depends on the smoothing of the phase'

# ---- waves from two places that meet: nothing turns ----
expect 0 sample optmap "${sheet[@]}" --rate 500 --frames 300 --beats 2 --sites '12,20;50,44,9' --seed 6 -o paced
for mask in "" "--mask paced/outline.npy"; do
    # shellcheck disable=SC2086 # two words, or none
    expect 0 optmap --rate 500 --no-report -q --json $mask -o none paced/movie.npy
    json '.rotors == 0 and .singularities == 0'
done
