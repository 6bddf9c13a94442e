package tape

import (
	"fmt"
	"strings"
	"testing"
)

// manyMembers returns members of a body with the names a0, a1 and so on, and
// with one value each: that of the member at index changed is another one.
func manyMembers(n int, value string, changed ...int) string {
	values := make([]string, n)
	for i := range values {
		values[i] = value
	}
	for _, i := range changed {
		values[i] = "new"
	}
	var members []string
	for i, v := range values {
		members = append(members, fmt.Sprintf(`"m%c":"%s"`, 'a'+i, v))
	}
	return `"metadata":{` + strings.Join(members, ",") + `}`
}

// The recordings nearest to a request are sorted once for all requests with the
// same changes, and not at all beyond a limit, so that neither the time nor the
// memory of a replay grows with each request.
func TestNearestRecordingsAreSortedOnce(t *testing.T) {
	t.Parallel()
	const members = 14
	c := candidatesOf([]recordedMembers{
		{members: manyMembers(members, "x")},
		{members: manyMembers(members, "y")},
	})
	ask := func(changed ...int) choice {
		return c.choose(requestOf(askedMembers{members: manyMembers(members, "y", changed...)}))
	}

	if chosen := ask(0); chosen.rule != nearest || chosen.recording.number != 1 {
		t.Fatalf("got %+v", chosen)
	}
	kept := len(c.byAgreement)
	if ask(1); len(c.byAgreement) == kept {
		t.Error("the order for another change is not kept")
	}
	kept = len(c.byAgreement)
	if ask(0); len(c.byAgreement) != kept {
		t.Error("the order for the same change is made again")
	}

	for i := range members {
		for j := range i {
			if chosen := ask(i, j); chosen.recording == nil || chosen.recording.number != 1 {
				t.Fatalf("with the members %d and %d changed: %+v", i, j, chosen)
			}
		}
	}
	if len(c.byAgreement) > maxAgreements {
		t.Errorf("%d orders are kept, want %d at most", len(c.byAgreement), maxAgreements)
	}
}

// A queue does not look again at recordings that were played, so that the time
// of a request does not grow with the number of equal ones before it.
func TestQueueSkipsWhatWasPlayed(t *testing.T) {
	t.Parallel()
	q := &queue{recordings: []*Recording{{}, {}, {}}}
	for i, rec := range q.recordings {
		if q.firstUnused() != rec || q.played != i {
			t.Errorf("the queue begins at %d, want %d", q.played, i)
		}
		rec.run.used.Store(true)
	}
	if q.firstUnused() != nil || q.last() != q.recordings[2] {
		t.Error("a recording is left in a queue that was played")
	}
	var none *queue
	if none.firstUnused() != nil || none.last() != nil || (&queue{}).last() != nil {
		t.Error("an empty queue has a recording")
	}
}
