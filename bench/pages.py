"""The pages of penta bench, made of its report.json by the standard library alone.

    python3 bench/pages.py report.json ...             writes report.md and report.html beside each
    python3 bench/pages.py --compare DIR report.json ...   writes comparison.md and comparison.html to DIR
    --print before these: writes nothing, and prints a JSON object with the pages; so penta-bench runs it

A page is a list of blocks: ("h1".."h3", text), ("p", text), ("ul", texts), ("img", file, title) or
("table", columns, rows). Columns that begin with "<", and the first, are aligned left. A cell is a text, or
(text, part, class) with a bar of that part of the cell in HTML.
"""
import html
import json
import math
import os
import re
import sys

FORMATS = {"penta-bench-report": 1, "penta-bench-scaling": 1}

# ---- numbers ----


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def digits(value):
    """Three of them, with five decimals at most."""
    decimals = 0
    while decimals < 5 and abs(value) < 99.95 / 10**decimals:
        decimals += 1
    return "%.*f" % (decimals, value)


def thousands(value):
    """The power of 1000 at or below a number that is not 0, as far as there are names."""
    return min(max(math.floor(math.log10(abs(value)) / 3), -3), 5)


def number(value):
    """1.53·10⁹"""
    if not is_number(value):
        return "-"
    power = thousands(value) if value and not 1e-2 <= abs(value) < 99999.5 else 0
    names = {-3: "·10⁻⁹", -2: "·10⁻⁶", -1: "·10⁻³", 0: "", 1: "·10³", 2: "·10⁶", 3: "·10⁹", 4: "·10¹²", 5: "·10¹⁵"}
    return digits(value / 1000.0**power) + names[power]


def quantity(value, unit):
    """40.1 GB/s"""
    if not is_number(value) or value <= 0:
        return "-"
    power = thousands(value)
    return "%s %s%s" % (digits(value / 1000.0**power), "nµm kMGTP"[power + 3].strip(), unit)


def ratio(value, near=False):
    return ("~x" if near else "x") + digits(value) if is_number(value) else "-"


def share(value):
    return digits(100 * value) + " %" if is_number(value) else "-"


def divide(a, b):
    return a / b if is_number(a) and is_number(b) and b else None


def bar(text, value, most, peer):
    return (text, divide(value, most) or 0, "peer" if peer else "ours") if is_number(value) else text


# ---- a report of --all ----


def machine_table(report):
    device, cases, known = report["device"], report["cases"], report.get("cases_known")
    chosen = "those that --case names" if report.get("filter") else (
        "all (--thorough)" if report.get("thorough") else "the smaller ones; --thorough takes all")
    facts = [
        ("device", "%s (%s)" % (device["name"], device["type"])),
        ("platform", "%s, driver %s" % (device["platform"], device["driver"])),
        ("", "%d compute units, %.1f GiB, %s double precision" % (
            device["compute_units"], device["memory"] / 2**30, "with" if device["fp64"] else "without")),
        ("machine", report["machine"]), ("date", report["date"]), ("penta", report["penta"]),
        ("cases", "%d%s, %s" % (len(cases), " of %d" % known if known else "", chosen))]
    return "table", ["", "<"], [(name, text or "-") for name, text in facts]


def limits_table(report):
    return "table", ["", "at most", "<how it is measured"], [
        (limit["title"], quantity(limit["value"], limit["unit"]), limit.get("reason") or limit["how"])
        for limit in report["limits"].values()]


def case_row(row, best):
    is_peer = row["kind"] == "peer"
    fastest = min(row.get("against") or [], key=lambda one: one["ratio"] or math.inf, default=None)
    return (("peer: " if is_peer else "") + row["variant"], row["clock"], number(row["median_ms"]),
            "%.1f %%" % (100 * (row["q3_ms"] - row["q1_ms"]) / row["median_ms"])
            if row["runs"] > 1 and "q3_ms" in row else "-",
            bar(number(row["rate"]), row["rate"], best, is_peer),
            "%s (%s)" % (number(row["limit"]), row["limited_by"]) if "limit" in row else "-",
            share(row.get("share")),
            "%s %s" % (ratio(fastest["ratio"], not fastest["same_clock"]), fastest["peer"]) if fastest else "-")


def case_blocks(case):
    rows, status = case["rows"], case["status"]
    yield "h3", "%s %s" % (case["workload"], case["case"])
    if status != "ok":
        yield "p", "%s: %s" % (status.replace("_", " "), case["reason"])
    if rows:
        best = max(row["rate"] for row in rows)
        columns = ["", "<clock", "ms", "spread", rows[0]["unit"], "limit", "share", "<against the fastest peer"]
        yield "table", columns, [case_row(row, best) for row in rows]
    needs = {}
    for row in rows:
        if row.get("needs", {}).get("formula"):
            needs.setdefault(row["needs"]["formula"], row["variant"])
    if needs:
        yield "ul", ["needs at least " + formula + (" (%s)" % variant if len(needs) > 1 else "")
                     for formula, variant in needs.items()]
    if case.get("notes"):
        yield "ul", case["notes"]


def report_page(report):
    yield "h1", "penta bench"
    yield machine_table(report)
    yield "h2", "What the device can do at most"
    yield limits_table(report)
    yield "h2", "Cases"
    yield "p", (
        'Every result was compared with the others\' before it was timed. Times are medians of an item; "device": of '
        'kernels by their events, "wall": of the whole call by the host\'s clock; spread: from quartile to quartile of '
        "the runs, over the median. Limit: the rate at which the job would run if the device moved its bytes at copy "
        "bandwidth and did its flops at the rate of multiply-adds, whichever takes longer; share: the part of it that "
        "was reached, above 100 % where data stay in caches or an algorithm needs less than the formula. Against a "
        "peer: above 1 ours is faster; ~: by different clocks.")
    for case in report["cases"]:
        yield from case_blocks(case)


# ---- a report of --scaling ----


def scaling_case(case):
    yield "h3", "%s %s" % (case["workload"], case["case"])
    wanted = "; wanted with two members: %g %%" % (100 * case["wanted"]) if is_number(case["wanted"]) else ""
    yield "p", "%s, %s scaling%s." % (case["what"], case["kind"], wanted)
    rows = []
    for row in case["rows"]:
        mean = sum(row["kernel_seconds"]) / len(row["kernel_seconds"])
        rows.append(("%g" % row["members"], "%g" % row["runs"], number(row["median_ms"]), number(row["min_ms"]),
                     number(row["max_ms"]), share(row["efficiency"]), number(1e3 * mean),
                     " ".join("%.3f" % (one / mean) if mean else "-" for one in row["kernel_seconds"])))
    yield "table", ["members", "runs", "median, ms", "least, ms", "most, ms", "efficiency", "kernels, ms",
                    "of each member over their mean"], rows


def scaling_page(report):
    yield "h1", "penta bench --scaling"
    yield "p", "%s; %s; penta %s." % (report["machine"], report["date"], report["penta"])
    yield "table", ["member", "<host", "<device", "<part", "compute units"], [
        ("%g" % one["rank"], one["host"], "%g: %s" % (one["index"], one["device"]),
         "%g of %g" % (one["part"] + 1, one["parts"]) if one["parts"] > 1 else "whole", "%g" % one["compute_units"])
        for one in report["members"]]
    yield "img", "scaling.png", "Efficiency over the number of members"
    yield "p", (
        "Strong: the same input for any number of members N, efficiency t(1) / (N t(N)). Weak: each member brings as "
        "much input as one has alone, t(1) / t(N). Times are by the host's clock, of the whole run once contexts, "
        "plans and kernels are there, from and to host memory. The results of all numbers of members were the same "
        "bytes.")
    yield "h2", "Cases"
    for case in report["scaling"]:
        yield from scaling_case(case)


# ---- several reports side by side ----


def compare(reports, paths):
    """The object that penta bench --compare --json prints."""
    def numbers_of(rows, key, about, name):
        return rows.setdefault(key, {**about, name: [None] * len(reports)})[name]

    limits, rates = {}, {}
    for i, report in enumerate(reports):
        for name, limit in report["limits"].items():
            numbers_of(limits, name, {key: limit[key] for key in ("title", "unit")}, "values")[i] = limit["value"]
        for case in report["cases"]:
            for row in case["rows"]:
                about = {"workload": case["workload"], "case": case["case"],
                         **{key: row[key] for key in ("variant", "kind", "clock", "unit")}}
                numbers_of(rates, tuple(about.values()), about, "rates")[i] = row["rate"]
    return {"reports": [{"path": os.fsencode(path).decode(errors="replace"), "device": report["device"]["name"],
                         "driver": report["device"]["driver"],
                         **{key: report[key] for key in ("machine", "date", "penta")}}
                        for path, report in zip(paths, reports)],
            "comparison_limits": list(limits.values()), "comparison": list(rates.values())}


def letter(i):
    return chr(ord("A") + i) if i < 26 else str(i + 1)


def side_by_side(first, values, show, peer=False):
    """A row: the cells `first`, then each value with its ratio to the first one."""
    most = max((value for value in values if is_number(value)), default=0)
    row = list(first)
    for i, value in enumerate(values):
        row.append(bar(show(value), value, most, peer))
        row += [ratio(divide(value, values[0]))] if i else []
    return row


def compare_page(comparison):
    machines = comparison["reports"]
    letters = [name for i in range(len(machines)) for name in ([letter(i), letter(i) + "/A"] if i else ["A"])]
    yield "h1", "penta bench: comparison"
    yield "table", ["", "<device", "<driver", "<machine", "<date", "<penta", "<report"], [
        [letter(i)] + [one[name] for name in ("device", "driver", "machine", "date", "penta", "path")]
        for i, one in enumerate(machines)]
    yield "h2", "What the devices can do at most"
    yield "table", [""] + letters, [
        side_by_side([one["title"]], one["values"], lambda value, unit=one["unit"]: quantity(value, unit))
        for one in comparison["comparison_limits"]]
    yield "h2", "Rates"
    yield "p", ("Medians. Behind each machine but the first: its rate over the first's. Rows by the clock \"wall\" and "
                "peers depend on the machine around the device.")
    rows = []
    for one in comparison["comparison"]:
        is_peer = one["kind"] == "peer"
        first = ["%s %s" % (one["workload"], one["case"]), ("peer: " if is_peer else "") + one["variant"], one["clock"],
                 one["unit"]]
        rows.append(side_by_side(first, one["rates"], number, is_peer))
    yield "table", ["", "<", "<clock", "<unit"] + letters, rows


# ---- Markdown and plain text ----


def cell_text(cell):
    return cell if isinstance(cell, str) else cell[0]


def is_left(columns, i):
    return i == 0 or columns[i].startswith("<")


def names(columns):
    return [name.lstrip("<") for name in columns]


def markdown(blocks):
    def escaped(text):
        return re.sub(r"([|<>*_`\\^])", r"\\\1", text).replace("\n", " ")

    def line(cells):
        return "".join("| %s " % escaped(cell_text(cell)) for cell in cells) + "|"

    out = []
    for kind, *block in blocks:
        if kind == "table":
            columns, rows = block
            rule = "".join("|---" if is_left(columns, i) else "|---:" for i in range(len(columns))) + "|"
            out.append("\n".join([line(names(columns)), rule] + [line(row) for row in rows]))
        elif kind == "ul":
            out.append("\n".join("- " + escaped(text) for text in block[0]))
        elif kind == "img":
            out.append("![%s](%s)" % (block[1], block[0]))
        else:
            out.append("#" * int(kind[1:] or 0) + " " * (kind != "p") + escaped(block[0]))
    return "\n\n".join(out) + "\n\n"


def plain(blocks):
    out = []
    for kind, *block in blocks:
        if kind == "table":
            columns, rows = block
            lines = [names(columns)] + [[cell_text(cell) for cell in row] for row in rows]
            widths = [max(map(len, column)) for column in zip(*lines)]
            out.append("\n".join("".join(
                "  " + (cell.ljust(width) if is_left(columns, i) else cell.rjust(width))
                for i, (cell, width) in enumerate(zip(line, widths))) for line in lines))
        else:
            out.append("\n".join("- " + text for text in block[0]) if kind == "ul" else block[0])
    return "\n\n".join(out) + "\n\n"


# ---- HTML: one file that needs no other but its pictures, in light and dark ----

STYLE = """
:root{color-scheme:light dark;--text:#1b1f24;--dim:#57606a;--back:#fff;--line:#d8dee4;--ours:#a5cdf3;--peer:#d5d9de}
@media(prefers-color-scheme:dark){:root{--text:#e6e8eb;--dim:#9aa4af;--back:#14171a;--line:#333a41;--ours:#1f4e79;\
--peer:#3d444c}}
body{margin:2em auto;max-width:88em;padding:0 1em;background:var(--back);color:var(--text);\
font:16px/1.45 system-ui,sans-serif}
h1{font-size:1.6em}h2{margin-top:2em;border-bottom:1px solid var(--line)}h3{margin:1.6em 0 .3em}
p,li{max-width:60em;color:var(--dim)}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2em .7em;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th{color:var(--dim);font-weight:600}.left{text-align:left}td.wrap{white-space:normal}
td.bar{min-width:7em}.ours{background:var(--ours)}.peer{background:var(--peer)}
.bar i{display:block;height:.5em;margin-top:.1em}
@media print{body{margin:0;max-width:none}}
"""


def element(name, text, css=""):
    return "<%s%s>%s</%s>" % (name, ' class="%s"' % css if css else "", html.escape(text, quote=False), name)


def html_cell(cell, left):
    if isinstance(cell, str):
        return element("td", cell, ("left wrap" if len(cell.encode()) > 60 else "left") if left else "")
    text, part, css = cell
    return '<td class="bar">%s<i class="%s" style="width:%.1f%%"></i></td>' % (html.escape(text, quote=False), css,
                                                                                100 * min(part, 1))


def html_table(columns, rows):
    head = "".join(element("th", name, "left" if is_left(columns, i) else "")
                   for i, name in enumerate(names(columns)))
    body = "".join("<tr>%s</tr>\n" % "".join(html_cell(cell, is_left(columns, i)) for i, cell in enumerate(row))
                   for row in rows)
    return '<div class="scroll"><table>\n<tr>%s</tr>\n%s</table></div>' % (head, body)


def html_page(blocks, title):
    out = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
           '<meta name="viewport" content="width=device-width, initial-scale=1">\n%s\n<style>%s</style>\n'
           "</head>\n<body>" % (element("title", title), STYLE)]
    for kind, *block in blocks:
        if kind == "table":
            out.append(html_table(*block))
        elif kind == "ul":
            out.append("<ul>\n%s\n</ul>" % "\n".join(element("li", text) for text in block[0]))
        elif kind == "img":
            out.append('<p><img src="%s" alt="%s"></p>' % tuple(map(html.escape, block)))
        else:
            out.append(element(kind, block[0]))
    return "\n".join(out) + "\n</body>\n</html>\n"


# ---- the command ----


def load(path, formats, what):
    """The report, or the program ends with one line."""
    path = os.path.join(path, "report.json") if os.path.isdir(path) else path
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        sys.exit("%s: %s" % (path, error.strerror))
    except json.JSONDecodeError as error:
        sys.exit("%s:%d: %s" % (path, error.lineno, error.msg))
    except UnicodeDecodeError as error:
        sys.exit("%s: %s" % (path, error))
    if not isinstance(report, dict) or report.get("format") not in formats:
        sys.exit("%s: is no report of %s" % (path, what))
    if report.get("format_version") != FORMATS[report["format"]]:
        sys.exit("%s: is a report of another version of penta, in a format that this one does not read" % path)
    return report


def pages_of(path):
    report = load(path, FORMATS, "penta bench")
    scaling = report["format"] == "penta-bench-scaling"
    blocks = list(scaling_page(report) if scaling else report_page(report))
    return {"md": markdown(blocks), "html": html_page(blocks, "penta bench --scaling" if scaling else "penta bench")}


def comparison_of(paths):
    comparison = compare([load(path, ["penta-bench-report"], "penta bench --all") for path in paths], paths)
    blocks = list(compare_page(comparison))
    return {"md": markdown(blocks), "html": html_page(blocks, "penta bench: comparison"), "text": plain(blocks),
            "comparison": comparison}


def write(directory, name, made):
    for suffix in ("md", "html"):
        path = os.path.join(directory, name + "." + suffix)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(made[suffix])
        os.replace(path + ".new", path)


def main(words):
    prints = words[:1] == ["--print"]
    words = words[prints:]
    if not words or words[0] == "--compare" and len(words) < 3:
        sys.exit(__doc__)
    try:
        if words[0] == "--compare":
            all_made = [(words[1], "comparison", comparison_of(words[2:]))]
        else:
            all_made = [(os.path.dirname(path), "report", pages_of(path)) for path in words]
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit("this is not all of a report: %r" % error)
    for directory, name, made in all_made:
        if prints:
            json.dump(made, sys.stdout)
        else:
            write(directory, name, made)


if __name__ == "__main__":
    main(sys.argv[1:])
