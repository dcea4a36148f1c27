"""C: make, gcc and the linker, and recipes that run a script."""

from project import Fault, Project

TOOL_C = """\
#include "count.h"
#include <stdio.h>

int main(void) {
    int unused;
    printf("%d\\n", count("a b c"));
    return 0;
}
"""

COUNT_C = """\
#include "count.h"

int count(const char *text) {
    int words = 1;
    for (; *text; text++) {
        if (*text == ' ') {
            words++;
        }
    }
    return words;
}
"""

TOOL_MAKE = """\
CFLAGS = -Wall

all: tool

tool: tool.o count.o
	$(CC) -o $@ $^

%.o: %.c count.h
	$(CC) $(CFLAGS) -c -o $@ $<

test: all
	./check.sh
"""

CHECK = """\
#!/bin/sh
found=$(./tool)
if [ "$found" != 3 ]; then
    echo "check: counted $found words instead of 3" >&2
    exit 1
fi
"""

FIRMWARE_MAKE = """\
CFLAGS = -Wall -Werror
IMAGE = firmware.bin

all: $(IMAGE)

$(IMAGE): main.o led.o
	$(CC) -r -o $@ $^

check: all
	sh verify.sh $(IMAGE)

install: all
	cp $(IMAGE) flash
"""

LED_C = """\
static int state;

int led(int on) {
    state = on;
    return state;
}
"""

MAIN_C = """\
int led(int on);

int main(void) {
    return led(1);
}
"""

VERIFY = """\
size=$(wc -c < "$1")
test "$size" -lt 65536 || { echo "verify: $1 has $size bytes, too large for the flash"; exit 1; }
printf 'image of %s\\n' "$(date)"
"""

PROJECTS = [
    Project(
        "make",
        "tool",
        {"Makefile": TOOL_MAKE, "tool.c": TOOL_C, "count.c": COUNT_C, "count.h": "int count(const char *text);\n", "check.sh": CHECK},
        "chmod +x check.sh; make test",
        [
            Fault("semicolon", "expected ‘,’ or ‘;’ before ‘for’", edits={"count.c": ("words = 1;", "words = 1")}),
            Fault("undeclared", "‘word’ undeclared", edits={"count.c": ("words++", "word++")}),
            Fault("unlinked", "undefined reference to `count'", edits={"Makefile": ("tool: tool.o count.o", "tool: tool.o")}),
            Fault("no-rule", "No rule to make target 'counts.o', needed by 'tool'", edits={"Makefile": ("tool: tool.o count.o", "tool: tool.o counts.o")}),
            Fault("miscounted", "check: counted 4 words instead of 3", edits={"count.c": ("words = 1", "words = 2")}),
            Fault("undercounted", "check: counted 2 words instead of 3", edits={"count.c": ("words = 1", "words = 0")}),
        ],
    ),
    Project(
        "make",
        "firmware",
        {"Makefile": FIRMWARE_MAKE, "main.c": MAIN_C, "led.c": LED_C, "verify.sh": VERIFY},
        "make -j2 check",
        [
            Fault("warning-is-error", "unused variable ‘level’", edits={"led.c": ("state = on;", "int level = on;\n    state = on;")}),
            Fault("separator", "missing separator", edits={"Makefile": ("\tsh verify.sh", "    sh verify.sh")}),
            Fault("too-large", "too large for the flash", edits={"led.c": ("static int state;", "static int state;\nconst char padding[70000] = {1};")}),
            Fault("script-missing", "sh: 0: cannot open verify.sh", edits={"Makefile": ("sh verify.sh", "cd .. && sh verify.sh")}),
            Fault("tool-missing", "objdumpp: not found", edits={"verify.sh": ("printf", "objdumpp -h \"$1\"\nexit $?\nprintf")}),
            Fault("disk-full", "No space left on device", "infra", {"Makefile": ("cp $(IMAGE) flash", "cp $(IMAGE) /dev/full")}, "make install"),
        ],
    ),
]
