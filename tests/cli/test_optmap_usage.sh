# Flags of penta optmap that are missing, contradict one another, or have no effect are refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" optmap -o no.d "$@"
    absent no.d
}

expect 0 optmap --help
for flag in '-r, --rate' --pixel-size --raw --variable --ratio '-m, --mask' --signed --saturated --keep-going --engine --interp --taps \
    --window --sigma --median --median-edges --polarity --baseline --min-intensity --min-range --min-value --drift --correlation --max-lag --demean \
    --tails --invalid --border --out-rate --fft --elements --batch --refractory --threshold --velocity --velocity-window \
    --min-upstroke --reach --gap --min-life --shifts --average --phase --low --high --no-movie --no-report '-o, --output' --json; do
    shows out "^ +(-.,)? +?$flag|^ +$flag"
done
wave_npy 40 8 6 1 >wave.npy

# ---- what is missing or too much ----
refuse 2 'no movie given' optmap -o no.d
refuse 2 '-o DIR is missing' optmap --rate 1000 wave.npy
refuses 'wave\.npy does not say how many frames a second it has; give them \(--rate Hz\)' wave.npy
refuses '--ratio divides one movie, but there are 2' --rate 1000 --ratio wave.npy wave.npy wave.npy

# ---- values ----
refuses 'wave\.npy does not say how many frames a second it has' --rate 0 wave.npy # 0: as the file says
refuses '--rate is 1e-300 Hz; it must be between' --rate 1e-300 wave.npy
refuses '--rate is 1e\+08 Hz|--rate is 100000000 Hz' --rate 1e8 wave.npy
refuses 'rate' --rate -1000 wave.npy
refuses 'rate' --rate nan wave.npy
refuses 'rate' --rate inf wave.npy
refuses 'rate' --rate fast wave.npy
refuses '--pixel-size is 0 cm; it must be between 1e-07 and 100$' --rate 1000 --pixel-size 0 wave.npy
refuses 'pixel-size' --rate 1000 --pixel-size -1 wave.npy
refuses 'pixel-size' --rate 1000 --pixel-size nan wave.npy
refuses '--window is 4 px; it must be odd' --rate 1000 --window 4 wave.npy
refuses 'window' --rate 1000 --window 0 wave.npy
refuses '--taps is 80; it must be odd' --rate 1000 --taps 80 wave.npy
refuses '--velocity-window is 4 px; it must be odd' --rate 1000 --pixel-size 1 --velocity-window 4 wave.npy
refuses '--elements is 3; it must be a power of 2' --rate 1000 --engine literal --elements 3 wave.npy
refuses 'interp' --rate 1000 --interp 0 wave.npy
refuses 'sigma' --rate 1000 --sigma 0 wave.npy
refuses 'sigma' --rate 1000 --sigma nan wave.npy
refuses 'median' --rate 1000 --median -1 wave.npy
refuses 'polarity' --rate 1000 --polarity left wave.npy
refuses 'engine' --rate 1000 --engine slow wave.npy
refuses 'saturated' --rate 1000 --saturated maybe wave.npy
refuses 'threshold' --rate 1000 --threshold 2 wave.npy
refuses '--correlation phase needs --engine literal' --rate 1000 --correlation phase wave.npy
for text in '' 5 5: :5 1:2:3 a:b -1:5 1:5x; do
    refuses "--baseline needs frames A:B, such as 0:100, not '$text'" --rate 1000 --baseline="$text" wave.npy
done
for text in '' a 1x nan; do
    refuses "--min-value needs a number, not '$text'" --rate 1000 --min-value="$text" wave.npy
done
for text in '' 8x6x40 8x6x40:u16 8x6x40:i8 8:u16le 8x6x40:u16me 8x0x40:u8; do
    refuses "--raw '$text' does not say" --rate 1000 --raw "$text" wave.npy
done
refuses '--high 5 is not above --low 5' --rate 1000 --low 5 --high 5 wave.npy
refuses 'no frequencies above half the rate, 500 Hz' --rate 1000 --high 501 wave.npy
refuses 'no frequencies above half the rate, 500 Hz' --rate 1000 --low 500 wave.npy
npy '<f4' '2, 1, 1' 0000803f 00004040 >float.npy
refuses '--signed is for 16-bit numbers without a sign, but float\.npy has f32' --rate 1000 --signed float.npy

# ---- no effect ----
while IFS='|' read -r flag run; do
    refuses "^penta optmap: error: ${flag%% *} has no effect: .+; leave it out\$" --rate 1000 $run $flag wave.npy
done <<'END'
--elements 8|
--elements 8|--engine fast
--keep-going|
--velocity gradient|
--velocity-window 5|
--no-movie|--no-report
END

# ---- outputs that are inputs ----
mkdir place
for name in filtered.npy cv.npy singularities.csv report.html; do
    wave_npy 40 8 6 1 >place/$name
    refuse 2 "place/$name is an input, and would be overwritten" optmap --rate 1000 -o ./place/ place/$name
    refuse 2 "place/$name is an input, and would be overwritten" optmap --rate 1000 -o place --ratio place/$name wave.npy
    same place/$name wave.npy
    rm place/$name
done
mkdir place/wave
wave_npy 40 8 6 1 >place/wave/snr.npy
refuse 2 'place/wave/snr\.npy is an input' optmap --rate 1000 -o place wave.npy place/wave/snr.npy
same place/wave/snr.npy wave.npy
