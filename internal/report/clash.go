package report

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/tape"
)

// conflict says what happened in a conflict, and what to do about it.
func (r *Run) conflict(c *tape.Conflict) string {
	if c.IsOutOfOrder() {
		return fmt.Sprintf("this recording and the one at line %d are of the same request, spelled "+
			"in two ways (with the keys in another order, say), so a request in either spelling "+
			"matches both recordings. This one was recorded first, but played second, because a "+
			"request first gets the recordings in its own spelling. So each of the two requests "+
			"may have got the answer to the other. Record both requests again", c.PlayedFirst.Line())
	}
	got := "a new recording"
	if line := c.Instead.Line(); line > 0 {
		got = fmt.Sprintf("the recording at line %d", line)
	}
	words, selector := r.conflictField(c)
	text := fmt.Sprintf("this recording answered another request, which differs in %s. The request "+
		"that it was recorded for came later, and got %s instead. Record both requests again", words, got)
	if selector != "" {
		text += ", or tell them apart with " + r.Words.Code(advice.New(advice.Match, selector))
	}
	return text
}

// conflictField says in what the request that took a recording differs, and gives the
// selector by which an option can name that. The selector is "" if no option can.
func (r *Run) conflictField(c *tape.Conflict) (words, selector string) {
	switch {
	case c.Field.IsIssuedID():
		return "an id that an earlier answer gave out", ""
	case c.Field.IsSpelling():
		return "how it is written (the order of keys, say)", ""
	case c.Field.Path == "name":
		return "the name that " + r.Words.NameRequest + " sets", ""
	case c.Field.Path == "host" && c.Recording.Form().Local:
		return "the address of a local server", ""
	}
	selector = fieldpath.Selector(c.Field.Path)
	return selector, selector
}

// ServerClash returns the report that local servers answered the same request differently. A
// replay could not tell them apart, since their ports change.
func (r *Run) ServerClash(o *Outcome, c *tape.AmbiguousServers) string {
	var hosts, options []string
	for i, address := range c.Addresses {
		_, host, _ := strings.Cut(address, "://")
		hosts = append(hosts, host)
		name := fmt.Sprintf("server%d", i+1)
		if isEphemeral(host) {
			options = append(options, "  "+r.Words.AliasOf(address, name))
		} else {
			options = append(options, "  "+r.Words.Line(advice.New(advice.Alias, address, name)))
		}
	}
	last := len(hosts) - 1
	text := fmt.Sprintf("%s: %s and %s answered the same request (%s) differently. Local hosts count "+
		"as one origin, because their ports change from run to run: name those that differ, and "+
		"give nodes of one service the same name",
		r.File, strings.Join(hosts[:last], ", "), hosts[last], strings.TrimSpace(c.Endpoint))
	return fmt.Sprintf("%s:\n%s\nand record again:\n%s",
		text, strings.Join(options, "\n"), r.commandIn(o, "all"))
}

// isEphemeral reports whether a host of this machine has a port that the system has chosen, so
// that it differs in the next run. Linux chooses ports from 32768 on, other systems from 49152
// (RFC 6335, section 6).
func isEphemeral(host string) bool {
	_, port, _ := net.SplitHostPort(host)
	number, err := strconv.Atoi(port)
	return err == nil && number >= 32768 && urls.IsThisMachine(host)
}

// FieldClash returns the report that two interactions have different answers, and requests that
// differ only in a field that is not written. mayWrite is false if the field must not be
// written, since it may be a credential.
func (r *Run) FieldClash(o *Outcome, c tape.AmbiguousField, mayWrite bool) string {
	name := strings.Replace(c.Path, "/", " ", 1)
	if cookie, ok := strings.CutPrefix(c.Path, tape.CookiePath); ok {
		name = "cookie " + cookie
	} else if param, ok := strings.CutPrefix(c.Path, "query/"); ok {
		name = "query parameter " + param
	}
	ignore := r.Words.Code(advice.New(advice.Ignore, c.Path))
	way := fmt.Sprintf("It may be a credential, which is never written: use two cassettes, one per "+
		"account. If it does not matter, add %s", ignore)
	if mayWrite {
		how := "To write it to the cassette and compare it"
		if strings.HasPrefix(c.Path, "query/") {
			how = "If it is a credential, use two cassettes, one per " +
				"account. Otherwise, to write a hash of it and compare that"
		}
		match := r.Words.Line(advice.New(advice.Match, c.Path))
		way = how + fmt.Sprintf(", add\n  %s\nor, if it does not matter, %s. Then record again:\n%s",
			match, ignore, r.commandIn(o, "all"))
	}
	return fmt.Sprintf("%s: as written here, interactions %d and %d have the same request (%s), but "+
		"different answers. The requests that were sent differ in %s, which is not written, so "+
		"replay could not tell them apart. %s",
		r.File, c.First, c.Second, call(c.Form), name, way)
}

// maxAnswersRead is the most answers of concurrent calls that dependsOnOrder reads, so that the
// time for a miss does not grow with the number of calls. It reads the last ones.
const maxAnswersRead = 64

// blameConcurrency changes the notes of edits whose words are in another order: concurrent calls
// may be the reason, so the note does not name a range over a map.
func blameConcurrency(edits []diff.Edit) {
	for i := range edits {
		if edits[i].Note.Code == diff.OtherOrder {
			edits[i].Note.Code = diff.OfOtherOrder
		}
	}
}

// parallelOrder returns the explanation of a miss whose request depends on the order of calls
// that ran in parallel, with remedies. It returns "" if the request depends on no such order.
// before are the calls that overlap the nearest recording and began before it.
func (r *Run) parallelOrder(
	nearest *tape.Recording, before []*tape.Recording, edits []diff.Edit,
) string {
	if len(before) == 0 || !r.dependsOnOrder(nearest, before, edits) {
		return ""
	}
	unordered := ""
	if len(edits) == 1 && edits[0].List() != "" {
		option := advice.New(advice.Unordered, fieldpath.Selector(edits[0].List()))
		unordered = "; or, if the order means nothing, add " + r.Words.Code(option)
	}
	return "  if you changed nothing, this request depends on " +
		"the order of calls that ran in parallel: " + r.places(before) + ".\n" +
		"  A replay gives the answers in the recorded order, but without the recorded delays. So the " +
		"order of requests can change if the program sleeps between them, makes calls that are " +
		"not recorded, or asks fewer at once than in the " +
		"recording (a pool as large as GOMAXPROCS, for example).\n" +
		"  Keep results by index, not in the order of arrival; tell equal requests apart with " +
		r.Words.NameRequest + "; or play the recorded times with " +
		r.Words.Code(advice.New(advice.Pace, "1")) + unordered + "\n"
}

// dependsOnOrder reports whether a miss may depend on the order of the concurrent calls before
// its nearest recording. That is so in these cases:
//   - The request and its nearest recording differ only in an order.
//   - The nearest recording is used, so the request was sent once more.
//   - The answer of a concurrent call is in only one of the two requests.
//   - A wait for the recorded order has timed out.
func (r *Run) dependsOnOrder(
	nearest *tape.Recording, before []*tape.Recording, edits []diff.Edit,
) bool {
	onlyOrderDiffers := len(edits) == 1 && edits[0].IsOrder()
	hasTimedOut := len(r.Tape.TimedOutWaits()) > 0
	if onlyOrderDiffers || hasTimedOut || nearest.Used() {
		return true
	}
	isInOneRequest := func(rec *tape.Recording) bool {
		answer := rec.ResponseText()
		return slices.ContainsFunc(edits, func(e diff.Edit) bool { return e.IsAbout(answer) })
	}
	lastBefore := before[max(0, len(before)-maxAnswersRead):]
	return slices.ContainsFunc(lastBefore, isInOneRequest)
}

// bothOrders returns a note for each list that a recording run has sent in two orders. Both
// orders match, but the program most likely ranges over a map.
func (r *Run) bothOrders() (notes []string) {
	sent := map[string]string{} // the first order, by the path and the elements
	for _, rec := range r.Tape.Recordings() {
		if !rec.Fresh() {
			continue
		}
		for _, o := range rec.Form().Orders {
			elements := strings.Split(strings.Trim(o.Value, `"`), ", ")
			slices.Sort(elements)
			key := o.Path + " " + strings.Join(elements, ", ")
			if first, ok := sent[key]; !ok {
				sent[key] = o.Value
			} else if first != o.Value && first != "" {
				sent[key] = ""
				notes = append(notes, fmt.Sprintf("%s: %s is %s in one recording and %s in another: "+
					"the program most likely ranges over a map, or takes results in the order of "+
					"arrival. Replay accepts any order, but a "+
					"provider's prompt cache needs a fixed one: sort them",
					r.File, fieldpath.Selector(o.Path), first, o.Value))
			}
		}
	}
	return notes
}

// learnedSecrets returns a note for each request that was sent before a secret in it
// was known.
func (r *Run) learnedSecrets() (notes []string) {
	for _, rec := range r.Tape.SecretLearned {
		req := rec.Interaction().Request
		notes = append(notes, fmt.Sprintf("%s: %s: when this request was sent, a text in it was not "+
			"yet known to be a secret, so replay accepts any text there. %s",
			r.File, req.String(), english.Sentence(r.Words.NameSecret)))
	}
	return notes
}
