package dev.weir.store.consensus;

/**
 * One committed entry of the log.
 *
 * @param micros the cluster's time at which the leader appended it; never less than that of the entry before
 * @param wallMillis the leader's wall clock at that time
 * @param durable whether it is synced to disk in every mode
 * @param body the submitted bytes
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Entry(long index, long micros, long wallMillis, boolean durable, byte[] body) {}
