"""Go: the compiler, vet, the test runner and the module proxy."""

from project import Fault, Project

LEDGER = """\
package ledger

import "fmt"

type Ledger struct{ entries map[string]int }

func New() *Ledger { return &Ledger{entries: map[string]int{}} }

func (l *Ledger) Add(name string, amount int) { l.entries[name] += amount }

func (l *Ledger) Balance() int {
	sum := 0
	for _, amount := range l.entries {
		sum += amount
	}
	return sum
}

func (l *Ledger) String() string { return fmt.Sprintf("balance %d", l.Balance()) }
"""

LEDGER_TESTS = """\
package ledger

import (
	"testing"
	"time"
)

func TestBalance(t *testing.T) {
	l := New()
	l.Add("rent", -700)
	l.Add("pay", 900)
	if got := l.Balance(); got != 200 {
		t.Errorf("Balance() = %d, want %d", got, 200)
	}
}

func TestString(t *testing.T) {
	if got, want := New().String(), "balance 0"; got != want {
		t.Fatalf("String() = %q, want %q", got, want)
	}
}

func TestSettles(t *testing.T) {
	time.Sleep(time.Millisecond)
}
"""

QUEUE = """\
package queue

type Queue struct{ items []string }

func (q *Queue) Push(item string) { q.items = append(q.items, item) }

func (q *Queue) Pop() (string, bool) {
	if len(q.items) == 0 {
		return "", false
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item, true
}
"""

QUEUE_TESTS = """\
package queue

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestPop(t *testing.T) {
	for name, items := range map[string][]string{"one": {"a"}, "three": {"a", "b", "c"}} {
		t.Run(name, func(t *testing.T) {
			q := &Queue{}
			for _, item := range items {
				q.Push(item)
			}
			for _, want := range items {
				if got, ok := q.Pop(); !ok || got != want {
					t.Errorf("popped %q, want %q", got, want)
				}
			}
			if _, ok := q.Pop(); ok {
				t.Error("an empty queue popped something")
			}
		})
	}
}

func TestDial(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Logf("listening on %s", listener.Addr())
	if _, err := net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatalf("queue server is away: %v", err)
	}
}

func TestSpill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatalf("cannot spill: %v", err)
	}
}
"""

MAIL = """\
package mail

import (
	"errors"
	"strings"
)

var ErrNoHost = errors.New("address has no host")

func Host(address string) (string, error) {
	at := strings.LastIndex(address, "@")
	if at < 0 {
		return "", ErrNoHost
	}
	return strings.ToLower(address[at+1:]), nil
}
"""

MAIL_TESTS = """\
package mail

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestHost(t *testing.T) {
	got, err := Host("ann@Example.org")
	if err != nil || got != "example.org" {
		t.Fatalf("Host() = %q, %v", got, err)
	}
}

func TestNoHost(t *testing.T) {
	if _, err := Host("ann"); !errors.Is(err, ErrNoHost) {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestDelivers(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	select {
	case <-time.After(time.Millisecond):
	case <-ctx.Done():
		t.Fatalf("not delivered: %v", ctx.Err())
	}
}
"""

PROJECTS = [
    Project(
        "go",
        "ledger",
        {"go.mod": "module example.com/ledger\n\ngo 1.19\n", "ledger.go": LEDGER, "ledger_test.go": LEDGER_TESTS},
        "go test ./...",
        [
            Fault("undefined-name", "undefined: amounts", edits={"ledger.go": ("sum += amount\n", "sum += amounts\n")}),
            Fault("wrong-balance", "Balance() = 1600, want 200", edits={"ledger.go": ("sum += amount\n", "if amount > 0 {\n\t\t\tsum += amount\n\t\t} else {\n\t\t\tsum -= amount\n\t\t}\n")}),
            Fault("half-balance", "Balance() = 900, want 200", edits={"ledger.go": ("sum += amount\n", "if amount > 0 {\n\t\t\tsum += amount\n\t\t}\n")}),
            Fault("nil-map", "panic: assignment to entry in nil map", edits={"ledger.go": ("&Ledger{entries: map[string]int{}}", "&Ledger{}")}),
            Fault("test-timeout", "panic: test timed out after 500ms", "flake", {"ledger_test.go": ("time.Millisecond", "time.Minute")}, "go test -timeout 500ms ./..."),
            Fault("proxy-unknown", "lookup proxy.example.invalid", "infra", {"ledger.go": ('import "fmt"', 'import (\n\t"fmt"\n\n\t_ "example.org/money"\n)')}, "export GOPROXY=https://proxy.example.invalid\ngo test ./..."),
        ],
    ),
    Project(
        "go",
        "queue",
        {"go.mod": "module example.com/queue\n\ngo 1.19\n", "queue.go": QUEUE, "queue_test.go": QUEUE_TESTS},
        "go test -v ./...",
        [
            Fault("never-empties", "an empty queue popped something", edits={"queue.go": ("q.items = q.items[1:]", "if len(q.items) > 1 {\n\t\tq.items = q.items[1:]\n\t}")}),
            Fault("last-first", 'popped "c", want "a"', edits={"queue.go": ("item := q.items[0]\n\tq.items = q.items[1:]", "item := q.items[len(q.items)-1]\n\tq.items = q.items[:len(q.items)-1]")}),
            Fault("out-of-range", "index out of range [0] with length 0", edits={"queue.go": ("if len(q.items) == 0 {\n\t\treturn \"\", false\n\t}\n\t", "")}),
            Fault("unused-import", 'imported and not used: "fmt"', edits={"queue.go": ("package queue\n", 'package queue\n\nimport "fmt"\n')}),
            Fault("vet", "format %d has arg item of wrong type string", edits={"show.go": 'package queue\n\nimport "fmt"\n\nfunc Show(item string) string { return fmt.Sprintf("%d", item) }\n'}),
            Fault("refused", "connect: connection refused", "flake", {"queue_test.go": ('if _, err := net.Dial', 'listener.Close()\n\tif _, err := net.Dial')}),
            Fault("disk-full", "no space left on device", "infra", {"queue_test.go": ('filepath.Join(t.TempDir(), "spill")', 'filepath.Join("/dev", "full")')}),
        ],
    ),
    Project(
        "go",
        "mail",
        {"go.mod": "module example.com/mail\n\ngo 1.19\n", "mail.go": MAIL, "mail_test.go": MAIL_TESTS},
        "go vet ./... && go test -count=1 ./...",
        [
            Fault("case-kept", 'Host() = "Example.org"', edits={"mail.go": ("strings.ToLower(address[at+1:])", "address[at+1:]")}),
            Fault("no-error", "unexpected error: <nil>", edits={"mail.go": ('return "", ErrNoHost', 'return "", nil')}),
            Fault("slice-bounds", "slice bounds out of range", edits={"mail.go": ("address[at+1:]", "address[at+99:]")}),
            Fault("wrong-type", "cannot use at (variable of type int) as string value", edits={"mail.go": ("return strings.ToLower(address[at+1:]), nil", "return at, nil")}),
            Fault("late", "context deadline exceeded", "flake", {"mail_test.go": ("time.After(time.Millisecond)", "time.After(time.Minute)")}),
        ],
    ),
]
