#!/usr/bin/env bash
# shorten.sh FROM TO: the headers in FROM with options structs that lack their last field, as an older version of the
# library may have had them. Prints how many structs became shorter.
set -eu
from=$1 to=$2
rm -rf "$to"
mkdir -p "$(dirname "$to")"
cp -r "$from" "$to"
shortened=0
for header in "$to"/pentacl/*.h; do
    awk '
        /^typedef struct( penta_[a-z_]+)? \{$/ { open = 1; n = 0; last = 0 }
        !open { print; next }
        { line[++n] = $0 }
        /;/ && !/^\}/ && !/^ *\/?\*/ { before = last; last = n }
        /^\}/ {
            sized = line[2] ~ /^    size_t size; *\/\* of this struct/ && $0 ~ /_options;$/ && before > 0
            for (i = 1; i <= n; i++)
                if (!sized || i < last || i == n)
                    print line[i]
            if (sized)
                print "a struct became shorter" > "/dev/stderr"
            open = 0
        }' "$header" >"$header.new" 2>"$header.log"
    shortened=$((shortened + $(wc -l <"$header.log")))
    mv "$header.new" "$header"
    rm "$header.log"
done
echo "$shortened"
