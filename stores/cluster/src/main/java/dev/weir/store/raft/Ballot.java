package dev.weir.store.raft;

/** One candidacy: who was asked for what, who said what, and the latest time that any voter has heard of. */
final class Ballot {
    private final long term;
    private final boolean isTrial;
    private final int size;
    private final boolean[] granted;
    private final boolean[] refused;
    private long latestMicros;

    /**
     * A ballot on which the candidate has voted for itself.
     *
     * @param term the term that the candidate wants to lead
     * @param isTrial whether it only asks who would vote for it
     */
    Ballot(int self, int size, long term, boolean isTrial, long micros) {
        this.term = term;
        this.isTrial = isTrial;
        this.size = size;
        this.granted = new boolean[size];
        this.refused = new boolean[size];
        this.latestMicros = micros;
        granted[self] = true;
    }

    boolean isTrial() {
        return isTrial;
    }

    /** Whether this answers what was asked here. */
    boolean asked(Message.Vote vote) {
        return vote.isTrial() == isTrial && vote.asked() == term;
    }

    void cast(int from, Message.Vote vote) {
        latestMicros = Math.max(latestMicros, vote.micros());
        granted[from] |= vote.granted();
        refused[from] |= !vote.granted();
    }

    boolean isWon() {
        return count(granted) >= majority();
    }

    /** Whether too many have refused for a majority to be left. */
    boolean isLost() {
        return count(refused) > size - majority();
    }

    /** The latest cluster time that a voter knows; negative if none knows one. */
    long latestMicros() {
        return latestMicros;
    }

    private int majority() {
        return size / 2 + 1;
    }

    private static int count(boolean[] flags) {
        int count = 0;
        for (boolean flag : flags) {
            count += flag ? 1 : 0;
        }
        return count;
    }
}
