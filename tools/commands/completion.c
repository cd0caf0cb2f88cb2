/* Completion scripts. They name every command and flag themselves, so that a shell need not run penta to complete. */
#include "commands/completion.h"

#include <string.h>

typedef void row_printer(const cli_command *command, const penta_option *row, FILE *out);

/* Every flag of the command, but --help. */
static void for_rows(const cli_command *command, row_printer *print, FILE *out)
{
    for (const cli_section *s = command->sections; s && cli_section_rows(s); s++)
        for (const penta_option *row = cli_section_rows(s); row->type != PENTA_OPTION_END; row++) {
            penta_option shown = cli_explained(command, row);

            if (cli_takes(s, row))
                print(command, &shown, out);
        }
    if (command->presets)
        print(command, &cli_preset_row, out);
}

typedef void command_printer(const cli_command *command, FILE *out);

/* Every command, and those of a command after it. */
static void for_commands(const cli_command *const *commands, command_printer *print, FILE *out)
{
    for (; *commands; commands++) {
        print(*commands, out);
        if ((*commands)->commands)
            for_commands((*commands)->commands, print, out);
    }
}

/* The last word of the command's name. */
static const char *last_word(const cli_command *command)
{
    const char *blank = strrchr(command->name, ' ');

    return blank ? blank + 1 : command->name;
}

static void put_flag(const penta_option *row, FILE *out)
{
    char name[96];

    fputs(cli_flag_name(row->name, name, sizeof name), out);
}

/* Text within '...', with a backslash before those of `special`. */
static void put_text(const char *text, const char *special, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(special, *text))
            putc('\\', out);
        putc(*text, out);
    }
}

/* The words a value may be, with a blank before each. */
static void put_words(const cli_command *command, const penta_option *row, FILE *out)
{
    char word[64];

    for (size_t i = 0; cli_value_word(command, row, i, word, sizeof word); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", word);
}

/* The words an operand may be; its list may begin with a comma. */
static void put_choices(const cli_operand *operand, FILE *out)
{
    bool first = true;

    for (const char *at = operand->choices; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");

        if (length > 0)
            fprintf(out, "%s%.*s", first ? "" : " ", (int)length, at);
        first = first && length == 0;
        at += length;
    }
}

static bool has_operands(const cli_command *command)
{
    return command->operands && command->operands->name;
}

/* ---- bash ---- */

static void bash_flag(const cli_command *command, const penta_option *row, FILE *out)
{
    (void)command;
    fprintf(out, " --");
    put_flag(row, out);
    if (row->letter)
        fprintf(out, " -%c", row->letter);
}

/* The words of the commands below a command. */
static void bash_commands(const cli_command *command, FILE *out)
{
    fprintf(out, "        words='");
    for (const cli_command *const *c = command->commands; *c; c++)
        fprintf(out, "%s%s", c == command->commands ? "" : " ", last_word(*c));
    fprintf(out, "'\n");
}

/* What completes the command's own words: flags, and operands or commands. */
static void bash_command(const cli_command *command, FILE *out)
{
    fprintf(out, "    '%s')\n        flags='--help -h", command->name);
    for_rows(command, bash_flag, out);
    fprintf(out, "'\n");
    if (command->commands) {
        bash_commands(command, out);
    } else if (has_operands(command) && command->operands->choices) {
        fprintf(out, "        words='");
        put_choices(command->operands, out);
        fprintf(out, "'\n");
    } else if (has_operands(command)) {
        fprintf(out, "        names=files\n");
    }
    fprintf(out, "        ;;\n");
}

static void bash_value(const cli_command *command, const penta_option *row, FILE *out)
{
    if (row->type == PENTA_OPTION_FLAG)
        return;
    fprintf(out, "    '%s --", command->name);
    put_flag(row, out);
    if (row->letter)
        fprintf(out, "' | '%s -%c", command->name, row->letter);
    fprintf(out, "')\n        words='");
    put_words(command, row, out);
    fprintf(out, "' names=%s\n        ;;\n",
            cli_value_is_file(row)        ? "files"
            : cli_value_is_directory(row) ? "directories"
                                          : "none");
}

static void bash_values(const cli_command *command, FILE *out)
{
    for_rows(command, bash_value, out);
}

static void print_bash(const cli_command *const *commands, FILE *out)
{
    fprintf(out, "# bash completion of penta, made by `penta options --completion bash`.\n"
                 "_penta()\n"
                 "{\n"
                 "    local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
                 "    local first=2 flags= words= names= IFS=$' \\t\\n'\n"
                 "    COMPREPLY=()\n"
                 "    if [ \"$cur\" = = ]; then # --flag=VALUE is three words here\n"
                 "        cur=\n"
                 "    elif [ \"$flag\" = = ]; then\n"
                 "        flag=${COMP_WORDS[COMP_CWORD - 2]}\n"
                 "    fi\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        COMPREPLY=($(compgen -W '");
    for (const cli_command *const *c = commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fprintf(out, "--help --version' -- \"$cur\"))\n"
                 "        return\n"
                 "    fi\n"
                 "    case $command in\n");
    for (const cli_command *const *c = commands; *c; c++)
        if ((*c)->commands)
            fprintf(out,
                    "    %s)\n"
                    "        first=3\n"
                    "        [ \"$COMP_CWORD\" -eq 2 ] || command=\"$command ${COMP_WORDS[2]}\"\n"
                    "        ;;\n",
                    (*c)->name);
    fprintf(out, "    help)\n"
                 "        [ \"$COMP_CWORD\" -ne 3 ] || command=\"help ${COMP_WORDS[2]}\"\n"
                 "        ;;\n"
                 "    esac\n"
                 "    case $command in\n");
    for_commands(commands, bash_command, out);
    for (const cli_command *const *c = commands; *c; c++)
        if ((*c)->commands) {
            fprintf(out, "    'help %s')\n", (*c)->name);
            bash_commands(*c, out);
            fprintf(out, "        ;;\n");
        }
    fprintf(out, "    esac\n"
                 "    case \"$command $flag\" in\n");
    for_commands(commands, bash_values, out);
    fprintf(out, "    *)\n"
                 "        if [[ $cur == -* ]]; then\n"
                 "            words=$flags names=none\n"
                 "        fi\n"
                 "        ;;\n"
                 "    esac\n"
                 "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                 "    IFS=$'\\n'\n"
                 "    case $names in\n"
                 "    files)\n"
                 "        COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
                 "        compopt -o filenames 2>/dev/null\n"
                 "        ;;\n"
                 "    directories)\n"
                 "        COMPREPLY+=($(compgen -d -- \"$cur\"))\n"
                 "        compopt -o filenames 2>/dev/null\n"
                 "        ;;\n"
                 "    esac\n"
                 "}\n"
                 "complete -F _penta penta\n");
}

/* ---- zsh ---- */

static void zsh_row(const cli_command *command, const penta_option *row, FILE *out)
{
    const bool value = row->type != PENTA_OPTION_FLAG;
    char word[64];

    fprintf(out, " \\\n            ");
    if (row->letter) {
        fprintf(out, "'(-%c --", row->letter);
        put_flag(row, out);
        fprintf(out, ")'{-%c%s,--", row->letter, value ? "+" : "");
        put_flag(row, out);
        fprintf(out, "%s}'[", value ? "=" : "");
    } else {
        fprintf(out, "'--");
        put_flag(row, out);
        fprintf(out, "%s[", value ? "=" : "");
    }
    put_text(row->help, "[]:\\", out);
    fprintf(out, "]");
    if (value) {
        fprintf(out, ":%s:", row == &cli_preset_row || row->type == PENTA_OPTION_TEXT ? "value" : "choice");
        if (cli_value_word(command, row, 0, word, sizeof word)) {
            fprintf(out, "(");
            put_words(command, row, out);
            fprintf(out, ")");
        } else if (cli_value_is_file(row)) {
            fprintf(out, "_files");
        } else if (cli_value_is_directory(row)) {
            fprintf(out, "_files -/");
        }
    }
    fprintf(out, "'");
}

static void zsh_list(const cli_command *const *commands, FILE *out)
{
    for (; *commands; commands++) {
        fprintf(out, " \\\n            '%s:", last_word(*commands));
        put_text((*commands)->summary, ":\\", out);
        fprintf(out, "'");
    }
}

static void zsh_command(const cli_command *command, FILE *out)
{
    if (command->commands)
        return;
    fprintf(out, "    '%s')\n        _arguments -s -S : '(- *)'{-h,--help}'[the help]'", command->name);
    for_rows(command, zsh_row, out);
    for (const cli_operand *o = command->operands; o && o->name; o++) {
        fprintf(out, " \\\n            '%s:%s:", o->most == 1 ? "" : "*", o->name);
        if (o->choices) {
            fprintf(out, "(");
            put_choices(o, out);
            fprintf(out, ")'");
        } else {
            fprintf(out, "_files'");
        }
    }
    fprintf(out, "\n        ;;\n");
}

static void print_zsh(const cli_command *const *commands, FILE *out)
{
    fprintf(out, "#compdef penta\n"
                 "# zsh completion of penta, made by `penta options --completion zsh`.\n"
                 "_penta() {\n"
                 "    local command=${words[2]}\n"
                 "    local -a names\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        names=(");
    zsh_list(commands, out);
    fprintf(out, ")\n        _describe command names\n        return\n    fi\n");
    for (const cli_command *const *c = commands; *c; c++)
        if ((*c)->commands) {
            fprintf(out, "    if [[ $command == help && ${words[3]} == %s && CURRENT -eq 4 ]]; then\n        names=(",
                    (*c)->name);
            zsh_list((*c)->commands, out);
            fprintf(out, ")\n        _describe command names\n        return\n    fi\n");
            fprintf(out, "    if [[ $command == %s ]]; then\n        if (( CURRENT == 3 )); then\n            names=(",
                    (*c)->name);
            zsh_list((*c)->commands, out);
            fprintf(out, ")\n            _describe command names\n            return\n        fi\n"
                         "        command=\"$command ${words[3]}\"\n"
                         "        shift words\n        (( CURRENT-- ))\n    fi\n");
        }
    fprintf(out, "    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for_commands(commands, zsh_command, out);
    fprintf(out, "    esac\n}\n_penta \"$@\"\n");
}

/* ---- fish ---- */

static void fish_row(const cli_command *command, const penta_option *row, FILE *out)
{
    char word[64];

    fprintf(out, "complete -c penta -n '__penta_is %s' -l ", command->name);
    put_flag(row, out);
    if (row->letter)
        fprintf(out, " -s %c", row->letter);
    if (row->type != PENTA_OPTION_FLAG)
        fprintf(out, " %s", cli_value_is_file(row) ? "-r -F" : "-x");
    if (cli_value_word(command, row, 0, word, sizeof word)) {
        fprintf(out, " -a '");
        put_words(command, row, out);
        fprintf(out, "'");
    } else if (cli_value_is_directory(row)) {
        fprintf(out, " -a '(__fish_complete_directories)'");
    }
    fprintf(out, " -d '");
    put_text(row->help, "", out);
    fprintf(out, "'\n");
}

/* A command's name after those of its parent, its flags and its operands. */
static void fish_command(const cli_command *command, FILE *out)
{
    const char *word = last_word(command);
    int parent = word > command->name ? (int)(word - command->name) - 1 : 0;

    for (int help = 0; help <= (parent > 0); help++) { /* penta sample autocorr, penta help sample autocorr */
        fprintf(out, "complete -c penta -n '__penta_begins %s%.*s' -a %s -d '", help ? "help " : "", parent,
                command->name, word);
        put_text(command->summary, "", out);
        fprintf(out, "'\n");
    }
    if (command->commands)
        return;
    fprintf(out, "complete -c penta -n '__penta_is %s' -s h -l help -d 'the help'\n", command->name);
    for_rows(command, fish_row, out);
    for (const cli_operand *o = command->operands; o && o->name; o++) {
        fprintf(out, "complete -c penta -n '__penta_is %s' ", command->name);
        if (o->choices) {
            fprintf(out, "-a '");
            put_choices(o, out);
            fprintf(out, "'\n");
        } else {
            fprintf(out, "-F\n");
        }
    }
}

static void print_fish(const cli_command *const *commands, FILE *out)
{
    fprintf(out,
            "# fish completion of penta, made by `penta options --completion fish`.\n"
            "# __penta_begins WORD...: these words and no more are there; __penta_is WORD...: the line begins so.\n"
            "function __penta_begins\n"
            "    set -l words (commandline -opc)\n"
            "    test \"$words[2..-1]\" = \"$argv\"\n"
            "end\n"
            "function __penta_is\n"
            "    set -l words (commandline -opc)\n"
            "    set -l last (math 1 + (count $argv))\n"
            "    test (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
            "end\n"
            "complete -c penta -f\n");
    for_commands(commands, fish_command, out);
}

void completion_print(const cli_command *const *commands, completion_shell shell, FILE *out)
{
    if (shell == COMPLETION_BASH)
        print_bash(commands, out);
    if (shell == COMPLETION_ZSH)
        print_zsh(commands, out);
    if (shell == COMPLETION_FISH)
        print_fish(commands, out);
}
