# Commits what Ralph keeps its state in.
# stopped by: implement
# because: must not be part of a change
implement() {
    operation mul "a * b" && test_of mul 35
    python3 -c 'import sqlite3; c = sqlite3.connect("state.db"); c.execute("PRAGMA application_id = 1380733000"); c.execute("CREATE TABLE issues (n)"); c.commit()'
    mkdir -p .ralph/home && touch .ralph/home/state.lock && commit "Add multiplication"
}
