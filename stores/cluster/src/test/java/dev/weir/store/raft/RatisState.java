package dev.weir.store.raft;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/** The cluster's state as Ratis wants it: the leader writes the time into each entry, in one order with the others. */
final class RatisState extends BaseStateMachine {
    private final Consensus.State state;
    private final LogClock.Clock wall;
    private final LogClock clock;
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    /** Of the latest entry that was applied. */
    private long lastMicros;

    RatisState(Consensus.State state, LogClock.Clock wall) {
        this.state = state;
        this.wall = wall;
        this.clock = new LogClock(wall);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        super.initialize(server, group, raftStorage);
        storage.init(raftStorage);
        load();
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        load();
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    private void load() throws IOException {
        SingleFileSnapshotInfo latest = storage.loadLatestSnapshot();
        if (latest != null) {
            BytesIn in = new BytesIn(Files.readAllBytes(latest.getFile().getPath()));
            lastMicros = in.number();
            state.restore(in.bytes());
            setLastAppliedTermIndex(latest.getTermIndex());
            heard(lastMicros);
        }
    }

    /** Called by Ratis between two entries. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        byte[] bytes = state.snapshot();
        BytesOut out = new BytesOut(bytes.length + 16);
        out.number(lastMicros);
        out.bytes(bytes);
        File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
        File part = new File(file.getPath() + ".part");
        Files.write(part.toPath(), out.toBytes());
        Files.move(part.toPath(), file.toPath(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), last));
        return last.getIndex();
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        BytesOut out = new BytesOut(request.getMessage().size() + 24);
        out.number(now());
        out.number(wall.epochMillis());
        ByteString stamp = UnsafeByteOperations.unsafeWrap(out.toBytes());
        return TransactionContext.newBuilder()
                .setStateMachine(this)
                .setClientRequest(request)
                .setLogData(stamp.concat(request.getMessage().getContent()))
                .build();
    }

    private synchronized long now() {
        if (clock.micros() < 0) {
            clock.set(wall.epochMillis() * 1_000);
        }
        return clock.micros();
    }

    private synchronized void heard(long micros) {
        if (clock.micros() < micros) {
            clock.set(micros);
        }
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext context) {
        LogEntryProto entry = context.getLogEntry();
        BytesIn in = new BytesIn(entry.getStateMachineLogEntry().getLogData().toByteArray());
        lastMicros = Math.max(lastMicros, in.number());
        heard(lastMicros);
        long wallMillis = in.number();
        boolean durable = in.flag();
        byte[] reply =
                state.apply(new Entry(entry.getIndex(), entry.getTerm(), lastMicros, wallMillis, durable, in.bytes()));
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        return CompletableFuture.completedFuture(Message.valueOf(UnsafeByteOperations.unsafeWrap(reply)));
    }
}
