"""Java: gradle, the compiler and JUnit."""

from project import Fault, Project

BANK = """\
package acme;

public class Account {
    private long cents;

    public void deposit(long amount) {
        cents += amount;
    }

    public long balance() {
        return cents;
    }

    public String shown() {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
"""

BANK_TESTS = """\
package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AccountTest {
    @Test
    public void depositsAddUp() {
        Account account = new Account();
        account.deposit(150);
        account.deposit(250);
        assertEquals(400, account.balance());
    }

    @Test
    public void balanceIsShownWithTwoDigits() {
        Account account = new Account();
        account.deposit(5);
        System.out.println("error: chatter of a test that passes");
        assertEquals("0.05", account.shown());
    }
}
"""

STORE = """\
package acme;

import java.util.HashMap;
import java.util.Map;

public class Store {
    private final Map<String, Integer> stock = new HashMap<>();

    public void put(String name, int count) {
        stock.merge(name, count, Integer::sum);
    }

    public int take(String name) {
        int left = stock.getOrDefault(name, 0) - 1;
        if (left < 0) {
            throw new IllegalStateException("out of " + name);
        }
        stock.put(name, left);
        return left;
    }
}
"""

STORE_TESTS = """\
package acme;

import static org.junit.Assert.assertEquals;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.Test;

public class StoreTest {
    @Test
    public void takingLeavesOneLess() {
        Store store = new Store();
        store.put("tea", 2);
        assertEquals(1, store.take("tea"));
    }

    @Test
    public void theCounterIsOpen() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            client.setSoTimeout(200);
            server.accept().getOutputStream().write(7);
            assertEquals(7, client.getInputStream().read());
        }
    }
}
"""

BUILD = """\
apply plugin: 'java'

repositories {
    flatDir { dirs '/usr/share/java' }
}

dependencies {
    testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')
}

test.testLogging.exceptionFormat = 'full'
"""

TESTS = "src/test/java/acme"
MAIN = "src/main/java/acme"
COMMAND = "gradle --no-daemon --console plain test"

PROJECTS = [
    Project(
        "gradle",
        "bank",
        {"build.gradle": BUILD, f"{MAIN}/Account.java": BANK, f"{TESTS}/AccountTest.java": BANK_TESTS},
        COMMAND,
        [
            Fault("incompatible-types", "incompatible types: String cannot be converted to long", edits={f"{MAIN}/Account.java": ("return cents;", 'return "" + cents;')}),
            Fault("wrong-balance", "expected:<400> but was:<250>", edits={f"{MAIN}/Account.java": ("cents += amount", "cents = amount")}),
            Fault("wrong-format", "expected:<0.[0]5> but was:<0.[]5>", edits={f"{MAIN}/Account.java": ("%d.%02d", "%d.%d")}),
            Fault("repository-unknown", "repository.example.invalid", "infra", {"build.gradle": ("dependencies {", "repositories { maven { url 'https://repository.example.invalid' } }\n\ndependencies {\n    compile 'acme:money:1.0'")}),
        ],
    ),
    Project(
        "gradle",
        "store",
        {"build.gradle": BUILD.replace("test.testLogging.exceptionFormat = 'full'\n", ""), f"{MAIN}/Store.java": STORE, f"{TESTS}/StoreTest.java": STORE_TESTS},
        COMMAND,
        [
            Fault("unknown-symbol", "cannot find symbol", edits={f"{MAIN}/Store.java": ("stock.put(name, left)", "stocks.put(name, left)")}),
            Fault("unknown-class", "class Boxes", edits={f"{MAIN}/Store.java": ("public int take", "private Boxes boxes;\n\n    public int take")}),
            Fault("out-of-stock", "java.lang.IllegalStateException", edits={f"{MAIN}/Store.java": ("stock.getOrDefault(name, 0)", "0")}),
            Fault("null", "java.lang.NullPointerException", edits={f"{MAIN}/Store.java": ("= new HashMap<>()", "= null")}),
            Fault("unknown-method", "Could not find method testCompil()", edits={"build.gradle": ("testCompile", "testCompil")}),
            Fault("counter-silent", "java.net.SocketTimeoutException", "flake", {f"{TESTS}/StoreTest.java": (".getOutputStream().write(7)", "")}),
        ],
    ),
]
