package dev.weir.store.scripted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Charges of a request that one call decides.
 *
 * @param tag the tag of their keys; of several, where all are in one place, the first one's
 * @param places where each of them stands in the request
 */
record Group(int tag, List<Priced> charges, List<Integer> places) {

    /** All of them together: all keys are in one place. */
    static List<Group> together(List<Priced> charges) {
        return List.of(new Group(charges.get(0).key().tag(), charges, List.of()));
    }

    /** Those with the same tag together, in the order in which they come first. */
    static List<Group> byTag(List<Priced> charges) {
        Map<Integer, Group> groups = new LinkedHashMap<>();
        for (int i = 0; i < charges.size(); i++) {
            Priced charge = charges.get(i);
            Group group = groups.computeIfAbsent(
                    charge.key().tag(), tag -> new Group(tag, new ArrayList<>(), new ArrayList<>()));
            group.charges.add(charge);
            group.places.add(i);
        }
        return List.copyOf(groups.values());
    }
}
