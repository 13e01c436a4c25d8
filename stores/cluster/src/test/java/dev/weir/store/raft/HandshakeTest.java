package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.store.raft.Handshake.Identity;
import dev.weir.store.raft.Handshake.RefusedException;
import dev.weir.store.raft.Handshake.Result;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final Secret SECRET = Secret.of("correct horse", "c");

    private static Identity node(int node, Secret secret) {
        return new Identity("c", 3, "a,b,c", 1, node, secret);
    }

    private record Both(CompletableFuture<Result> caller, CompletableFuture<Result> called) {}

    private static Both meet(Identity caller, Identity called) throws IOException {
        PipedInputStream toCalled = new PipedInputStream(1 << 16);
        PipedInputStream toCaller = new PipedInputStream(1 << 16);
        DataOutputStream fromCaller = new DataOutputStream(new PipedOutputStream(toCalled));
        DataOutputStream fromCalled = new DataOutputStream(new PipedOutputStream(toCaller));
        return new Both(
                run(() -> new Handshake(caller).call(new DataInputStream(toCaller), fromCaller), fromCaller),
                run(() -> new Handshake(called).answer(new DataInputStream(toCalled), fromCalled), fromCalled));
    }

    private interface Part {
        Result play() throws IOException;
    }

    private static CompletableFuture<Result> run(Part part, DataOutputStream out) {
        CompletableFuture<Result> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try (out) {
                result.complete(part.play());
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static void assertRefused(CompletableFuture<Result> result, String why) {
        assertThatThrownBy(result::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(why);
    }

    @Test
    void nodes_ofOneCluster_knowEachOther() throws Exception {
        Both both = meet(node(0, null), node(2, null));
        assertThat(both.caller.get().node()).isEqualTo(2);
        assertThat(both.called.get().node()).isZero();
        assertThat(both.caller.get().seal()).isNull();
    }

    @Test
    void nodes_withASecret_understandWhatNobodyElseDoes() throws Exception {
        Both both = meet(node(0, SECRET), node(2, SECRET));
        byte[] plain = {1, 2, 3};
        byte[] sealed = both.caller.get().seal().next(plain, 3);
        assertThat(sealed).hasSize(3 + 16);
        assertThat(both.called.get().seal().next(sealed, sealed.length)).isEqualTo(plain);
    }

    @Test
    void frame_thatWasChangedOrRepeated_isRefused() throws Exception {
        Both both = meet(node(0, SECRET), node(2, SECRET));
        byte[] first = both.caller.get().seal().next(new byte[] {1}, 1);
        byte[] second = both.caller.get().seal().next(new byte[] {2}, 1);
        Secret.Seal opens = both.called.get().seal();
        assertThat(opens.next(first, first.length)).containsExactly(1);
        assertThatThrownBy(() -> opens.next(first, first.length)).isInstanceOf(GeneralSecurityException.class);
        second[0]++;
        assertThatThrownBy(() -> opens.next(second, second.length)).isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void node_withAnotherSecret_isRefusedOnBothSides() throws Exception {
        Both both = meet(node(0, Secret.of("wrong horse", "c")), node(2, SECRET));
        assertRefused(both.caller, "another secret");
        assertRefused(both.called, "another secret");
        Both otherName = meet(new Identity("d", 3, "a,b,c", 1, 0, Secret.of("correct horse", "d")), node(2, SECRET));
        assertRefused(otherName.caller, "another secret or another cluster's name");
        assertRefused(meet(node(0, null), node(2, SECRET)).called, "has a secret and the other has none");
        assertRefused(meet(node(0, SECRET), node(2, null)).caller, "has a secret and the other has none");
    }

    @Test
    void node_ofAnotherClusterOrVersion_isToldWhy() throws Exception {
        Identity here = node(2, null);
        assertRefused(meet(new Identity("d", 3, "a,b,c", 1, 0, null), here).caller, "cluster of the caller is 'd'");
        assertRefused(meet(new Identity("c", 3, "a,b,x", 1, 0, null), here).caller, "members of the caller");
        assertRefused(meet(new Identity("c", 3, "a,b,c", 2, 0, null), here).caller, "versions do not fit");
        assertRefused(meet(node(2, null), here).caller, "identity of its own");
        assertRefused(meet(new Identity("c", 3, "a,b,c", 1, 7, null), here).caller, "does not know");
    }

    @Test
    void node_withTheSecretOfAnotherListOrVersion_isToldWhyToo() throws Exception {
        Identity here = node(2, SECRET);
        assertRefused(meet(new Identity("c", 3, "a,b,x", 1, 0, SECRET), here).caller, "members of the caller");
        assertRefused(meet(new Identity("c", 3, "a,b,c", 2, 0, SECRET), here).caller, "versions do not fit");
        assertRefused(meet(new Identity("c", 5, "a,b,c", 1, 0, SECRET), here).caller, "number of nodes");
    }

    @Test
    void stranger_whoSaysAnything_isRefused() throws Exception {
        PipedInputStream in = new PipedInputStream(1 << 16);
        DataOutputStream stranger = new DataOutputStream(new PipedOutputStream(in));
        stranger.writeBytes("GET / HTTP/1.1\r\n\r\n");
        CompletableFuture<Result> called =
                run(() -> new Handshake(node(0, null)).answer(new DataInputStream(in), stranger), stranger);
        assertRefused(called, "no node of Weir");
    }
}
