# For tests/cli/test_members*.sh: runs on several devices compared with those on one. One device stands for several: named twice
# or three times, it is divided where it can be, and shared where not.

# What the manifests in a folder and below say of files, but for the record of a run that ended early, which has times and
# temporary names.
manifests() # FOLDER
{
    (
        cd "$1" && find . -name .penta-run.json | sort | while read -r manifest; do
            echo "$manifest"
            jq -S '[.runs[] | .files | del(.[".penta-resume"]) | map_values({bytes, crc64})]' "$manifest" || exit 1
        done
    ) | grep .
}

# The same exit code, errors and files as on one device; ARGUMENT... but -d and -o.
alike() # NAME CODE COMMAND ARGUMENT...
{
    local name=$1 wanted=$2 list

    shift 2
    expect "$wanted" "$@" -d "$one" -o "$name"
    mv err "$name.err"
    for list in $two $three; do
        expect "$wanted" "$@" -d "$list" -o "$name-$list"
        sed "s|$name-$list|$name|g" err | diff "$name.err" - >differences || fail "$name on $list: $(cat differences)"
        diff -r -x .penta-run.json -x .penta-resume "$name" "$name-$list" >differences || fail "$name on $list: $(cat differences)"
        # the manifests: the same files of the same contents
        for folder in "$name" "$name-$list"; do
            manifests "$folder" >"$folder.files" || fail "$folder has no manifest"
        done
        diff "$name.files" "$name-$list.files" >differences || fail "$name on $list, manifest: $(cat differences)"
    done
}
