package dev.weir.store.scripted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Charges of a request that one call decides.
 *
 * @param tag the tag of their keys; on an unpartitioned backend the tag of the first key
 * @param places the index of each charge in the request; empty if the group has all charges in their order
 */
record ChargeGroup(int tag, List<ScriptCharge> charges, List<Integer> places) {

    /** One group of all charges, for an unpartitioned backend. */
    static List<ChargeGroup> inOneCall(List<ScriptCharge> charges) {
        return List.of(new ChargeGroup(charges.get(0).key().tag(), charges, List.of()));
    }

    /** One group for each tag, in the order of their first charges. */
    static List<ChargeGroup> byTag(List<ScriptCharge> charges) {
        Map<Integer, ChargeGroup> groups = new LinkedHashMap<>();
        for (int i = 0; i < charges.size(); i++) {
            ScriptCharge charge = charges.get(i);
            ChargeGroup group = groups.computeIfAbsent(
                    charge.key().tag(), tag -> new ChargeGroup(tag, new ArrayList<>(), new ArrayList<>()));
            group.charges.add(charge);
            group.places.add(i);
        }
        return List.copyOf(groups.values());
    }
}
