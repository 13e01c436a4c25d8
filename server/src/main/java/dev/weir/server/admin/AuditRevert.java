package dev.weir.server.admin;

import dev.weir.server.http.ProblemException;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the change that restores what held before an entry of the audit: the rates of one subject, or its exemption. Only
 * the latest change of these can be reverted, so that no later one is lost.
 *
 * @param newestFirst the entries of the audit
 * @param isComplete whether they go back to the first change
 */
record AuditRevert(List<AuditEntry> newestFirst, boolean isComplete) {

    /** Returns the change; throws a {@link ProblemException} if there is none. */
    SettingsChange of(long version, String who, Instant now) {
        AuditEntry entry = newestFirst.stream()
                .filter(one -> one.version() == version)
                .findFirst()
                .orElseThrow(() ->
                        ProblemException.notFound("the audit has no entry with this version, or no longer has it"));
        SettingsChange change = entry.change();
        Subject subject = change.subject();
        if (subject == null) {
            throw ProblemException.conflict(
                    "only changes of one subject's rates or exemption can be reverted; make the opposite change");
        }
        boolean isExemption = isExemption(change, subject);
        List<AuditEntry> others = newestFirst.stream()
                .filter(one -> one.version() != version)
                .filter(one -> isExemption ? isExemption(one.change(), subject) : isOverride(one.change(), subject))
                .toList();
        if (!others.isEmpty() && others.get(0).version() > version) {
            throw ProblemException.conflict("a later change, version "
                    + others.get(0).version() + ", is about the same subject; revert that one first");
        }
        if (others.isEmpty() && !isComplete) {
            throw ProblemException.conflict("the audit no longer has what held before this change");
        }
        SettingsChange before = others.isEmpty() ? null : others.get(0).change();
        return isExemption ? exemption(before, subject, who, now) : override(before, subject, who, now);
    }

    private static boolean isOverride(SettingsChange change, Subject subject) {
        boolean isKind = change instanceof SettingsChange.PutOverride
                || change instanceof SettingsChange.RemoveOverride
                || change instanceof SettingsChange.ExpireOverride;
        return isKind && subject.equals(change.subject());
    }

    private static boolean isExemption(SettingsChange change, Subject subject) {
        if (change instanceof SettingsChange.ReplaceExempt replace) {
            return replace.attribute().equals(subject.attribute());
        }
        boolean isKind = change instanceof SettingsChange.AddExempt
                || change instanceof SettingsChange.RemoveExempt
                || change instanceof SettingsChange.ExpireExempt;
        return isKind && subject.equals(change.subject());
    }

    private static SettingsChange override(@Nullable SettingsChange before, Subject subject, String who, Instant now) {
        return before instanceof SettingsChange.PutOverride put
                        && !put.validity().isOver(now)
                ? new SettingsChange.PutOverride(who, now, subject, put.limits(), put.validity())
                : new SettingsChange.RemoveOverride(who, now, subject);
    }

    private static SettingsChange exemption(@Nullable SettingsChange before, Subject subject, String who, Instant now) {
        Validity validity = before == null ? Validity.UNLIMITED : before.validity();
        boolean wasExempt = before instanceof SettingsChange.AddExempt
                || (before instanceof SettingsChange.ReplaceExempt replace
                        && replace.values().contains(subject.value()));
        return wasExempt && !validity.isOver(now)
                ? new SettingsChange.AddExempt(who, now, subject, validity)
                : new SettingsChange.RemoveExempt(who, now, subject);
    }
}
