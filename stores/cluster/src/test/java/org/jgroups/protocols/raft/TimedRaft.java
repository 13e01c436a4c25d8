package org.jgroups.protocols.raft;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.raft.Options;
import org.jgroups.raft.util.Utils;

/**
 * jgroups-raft's {@link RAFT}, with what the comparison needs: the leader puts the time into each command, and how far the
 * leader has come is known.
 *
 * <p>With {@code -Dweir.jgroups.corrected=true} also what its source lacks: a follower answers for entries that it has
 * compared and for no others, and commits no others; a leader commits by counting only from an entry of its own term on;
 * and those who lack entries are sent them under load, too.
 */
public class TimedRaft extends RAFT {
    private static final boolean CORRECTED = Boolean.getBoolean("weir.jgroups.corrected");

    static {
        ClassConfigurator.addProtocol((short) 1521, TimedRaft.class);
    }

    private UnaryOperator<byte[]> stamp = bytes -> bytes;
    /** The furthest that a leader said it has committed; -1 before anything was heard. */
    private volatile long heardCommit = -1;
    /** Up to where the log is known to be that of the leader of the term below. */
    private long matched;

    private long matchedTerm;
    private long resentAt = System.nanoTime();

    public void stampWith(UnaryOperator<byte[]> stamper) {
        stamp = stamper;
    }

    public long heardCommit() {
        return heardCommit;
    }

    @Override
    public CompletableFuture<byte[]> setAsync(byte[] buf, int offset, int length, boolean internal, Options options) {
        if (internal) {
            return super.setAsync(buf, offset, length, true, options);
        }
        byte[] command = new byte[length];
        System.arraycopy(buf, offset, command, 0, length);
        byte[] stamped = stamp.apply(command);
        return super.setAsync(stamped, 0, stamped.length, false, options);
    }

    @Override
    public void handleUpRequest(Message msg, RaftHeader hdr) {
        super.handleUpRequest(msg, hdr);
        if (hdr instanceof AppendEntriesRequest request && request.curr_term == currentTerm()) {
            heardCommit = Math.max(heardCommit, request.leader_commit);
        }
    }

    @Override
    protected void process(List<Request> q) {
        super.process(q);
        long now = System.nanoTime();
        if (CORRECTED && commit_table != null && now - resentAt > resend_interval * 1_000_000) {
            resentAt = now;
            commit_table.forEach((member, entry) -> {
                if (last_appended >= entry.nextIndex()) {
                    sendAppendEntriesMessage(member, entry);
                }
            });
        }
    }

    @Override
    protected RAFT changeRole(Role role) {
        if (!CORRECTED) {
            return super.changeRole(role);
        }
        RaftImpl made = switch (role) {
            case Leader -> new CountingLeader(this);
            case Follower -> new ComparingFollower(this);
            case Learner -> new Learner(this);
        };
        if (!impl.getClass().equals(made.getClass())) {
            impl.destroy();
            made.init();
            impl = made;
            notifyRoleChangeListeners(role);
        }
        return this;
    }

    /** Answers for what it compared. */
    private static final class ComparingFollower extends Follower {
        private final TimedRaft raft;

        ComparingFollower(TimedRaft raft) {
            super(raft);
            this.raft = raft;
        }

        @Override
        public AppendResult handleAppendEntriesRequest(
                LogEntries entries, Address leader, long prevIndex, long prevTerm, long entryTerm, long leaderCommit) {
            raft.leader(leader);
            if (raft.matchedTerm != raft.currentTerm()) {
                raft.matchedTerm = raft.currentTerm();
                raft.matched = raft.commit_index;
            }
            if (entries == null || entries.size() == 0) {
                return ok(leaderCommit);
            }
            LogEntry prev = raft.log_impl.get(prevIndex);
            if (prevIndex > raft.commit_index && prev == null) {
                return new AppendResult(AppendResult.Result.FAIL_ENTRY_NOT_FOUND, raft.lastAppended())
                        .commitIndex(raft.commit_index);
            }
            if (prevIndex > raft.commit_index && prev.term != prevTerm) {
                long conflicting = getFirstIndexOfConflictingTerm(prevIndex, prev.term);
                raft.deleteAllLogEntriesStartingFrom(conflicting);
                return new AppendResult(AppendResult.Result.FAIL_CONFLICTING_PREV_TERM, conflicting, prev.term)
                        .commitIndex(raft.commit_index);
            }
            long index = prevIndex;
            LogEntries missing = new LogEntries();
            for (LogEntry entry : entries) {
                index++;
                if (missing.size() == 0 && index <= raft.commit_index) {
                    continue;
                }
                LogEntry own = missing.size() == 0 && index <= raft.last_appended ? raft.log_impl.get(index) : null;
                if (own != null && own.term != entry.term) {
                    raft.deleteAllLogEntriesStartingFrom(index);
                    own = null;
                }
                if (own == null) {
                    missing.add(entry);
                }
            }
            if (missing.size() > 0) {
                raft.append(index - missing.size() + 1, missing);
            }
            raft.matched = Math.max(raft.matched, index);
            return ok(leaderCommit);
        }

        private AppendResult ok(long leaderCommit) {
            raft.commitLogTo(Math.min(leaderCommit, raft.matched), false);
            return new AppendResult(AppendResult.Result.OK, raft.matched).commitIndex(raft.commit_index);
        }

        @Override
        public void handleInstallSnapshotRequest(Message msg, Address leader, long index, long term) {
            if (index <= raft.commit_index) {
                return;
            }
            super.handleInstallSnapshotRequest(msg, leader, index, term);
            raft.matchedTerm = raft.currentTerm();
            raft.matched = raft.commit_index;
        }
    }

    /** Counts answers only from an entry of its own term on; what is before that entry is committed with it. */
    private static final class CountingLeader extends Leader {
        private final TimedRaft raft;

        CountingLeader(TimedRaft raft) {
            super(raft);
            this.raft = raft;
        }

        @Override
        public void handleAppendEntriesResponse(Address sender, long term, AppendResult result) {
            LogEntry entry = result.result == AppendResult.Result.OK ? raft.log_impl.get(result.index) : null;
            if (entry != null && entry.term != raft.currentTerm()) {
                raft.commit_table.update(sender, result.index(), result.index() + 1, result.commit_index, false);
            } else {
                super.handleAppendEntriesResponse(sender, term, result);
            }
        }
    }

    /** The number at the end of a node's name; -1 for nobody. */
    public static int number(Address address) {
        return address == null
                ? -1
                : Integer.parseInt(Utils.extractRaftId(address).substring(1));
    }
}
