package session

import "slices"

// A pieceOfBytes is a piece that a conversation sends of a stream of bytes. The
// digests are computed once for all recordings whose parts begin and end at the
// same bytes.
type pieceOfBytes struct {
	form   formID
	before int64 // number of bytes of the form that were sent before the piece
	data   []byte
	open   digests

	sums map[span]Sum // of parts that end in the piece
}

// A span of bytes of the stream.
type span struct{ start, end int64 }

// digests of the bytes that were sent of the parts that are not full, by the start
// of the part in the stream.
type digests map[int64]*Digest

// after returns the number of bytes that were sent with the piece.
func (b *pieceOfBytes) after() int64 { return b.before + int64(len(b.data)) }

// fits reports whether a recording has room for the piece, and the digests of the
// parts that become full are right.
func (b *pieceOfBytes) fits(rec *indexed) bool {
	after := b.after()
	if after > rec.units(b.form) {
		return false
	}
	first, start := rec.partAt(b.form, b.before)
	for _, index := range rec.places(b.form)[first:] {
		end := rec.messages[index].end
		isFull := end <= after
		if !isFull {
			break
		}
		if !b.sum(span{start, end}).Matches(rec.sums[int(index)]) {
			return false
		}
		start = end
	}
	return true
}

// partAt returns the part that has the byte at an offset of the stream, as an index
// of places, and the offset of its first byte.
func (x *indexed) partAt(form formID, offset int64) (part int, start int64) {
	places := x.places(form)
	part, _ = slices.BinarySearchFunc(places, offset, func(index int32, offset int64) int {
		if x.messages[index].end <= offset {
			return -1
		}
		return 1
	})
	if part > 0 {
		previous := places[part-1]
		start = x.messages[previous].end
	}
	return part, start
}

// sum returns the digest of a part that ends in the piece.
func (b *pieceOfBytes) sum(part span) Sum {
	sum, isKnown := b.sums[part]
	if isKnown {
		return sum
	}
	digest := NewDigest()
	start := part.start - b.before
	if start < 0 {
		digest = b.open[part.start].clone()
		start = 0
	}
	digest.Add(b.data[start : part.end-b.before])
	if b.sums == nil {
		b.sums = map[span]Sum{}
	}
	b.sums[part] = digest.Sum()
	return b.sums[part]
}

// addTo adds the piece to the digests of the parts that are not full in recordings
// that the conversation fits, and returns these digests.
func (b *pieceOfBytes) addTo(recordings []*indexed) digests {
	after := b.after()
	open := digests{}
	for _, rec := range recordings {
		_, start := rec.partAt(b.form, after)
		if start == after || open[start] != nil {
			continue
		}
		if start >= b.before {
			digest := NewDigest()
			digest.Add(b.data[start-b.before:])
			open[start] = digest
			continue
		}
		digest := b.open[start]
		digest.Add(b.data)
		open[start] = digest
	}
	return open
}
