/* A locale with a decimal comma, as host programs set it. */
#pragma once

/* Its name, ready for setlocale: one that is installed, otherwise German, made with localedef (Debian: locales) in a
 * scratch folder that goes with the process. NULL, with a line on stderr, if it cannot be made. */
const char *comma_locale(void);

/* Sets it with setlocale(LC_ALL) and checks that printf writes a comma. Ends the program if it cannot be set, because
 * nothing would be tested. */
void set_comma_locale(void);
