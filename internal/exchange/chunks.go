package exchange

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// Join returns the bytes of a recorded body, and the offset just past each of its pieces:
// of each event of a stream, of each chunk of another body that came in chunks. It is an
// error if the framing is unknown or cannot have an event.
func Join(resp *interaction.Response) (body []byte, ends []int, err error) {
	if resp.Stream == "" {
		return resp.Body, chunkEnds(resp.Chunks, len(resp.Body)), nil
	}
	framing, err := stream.Lookup(resp.Stream)
	if err != nil {
		return nil, nil, err
	}
	size := 0 // a guess, to allocate once
	for _, event := range resp.Events {
		for _, f := range event {
			size += len(f.Name) + len(f.Value) + len(": \n\n")
		}
	}
	body = make([]byte, 0, size)
	ends = make([]int, 0, len(resp.Events))
	for i, event := range resp.Events {
		body, err = framing.Write(body, event)
		if err != nil {
			return nil, nil, fmt.Errorf("events[%d]: %w", i, err)
		}
		ends = append(ends, len(body))
	}
	return body, ends, nil
}

// chunkEnds returns where chunks of these lengths end in a body of size bytes. A body that
// was edited may be longer or shorter than the lengths: the last chunk has the rest.
func chunkEnds(lengths []int, size int) (ends []int) {
	end := 0
	for i, n := range lengths {
		end += n
		isLast := i == len(lengths)-1
		if end >= size || isLast {
			return append(ends, size)
		}
		ends = append(ends, end)
	}
	return ends
}

// A chunk is bytes that arrived together. One Read returns one chunk at most.
type chunk struct {
	size    int   // in bytes
	delayMS int64 // milliseconds after the chunk before
	piece   int   // the number of the last event, or chunk of another body, in it
}

// chunksOf returns the chunks of a body of size bytes. ends and delays are those of its
// pieces; missing delays are zero, and a body without pieces is one chunk.
func chunksOf(size int, ends []int, delays []interaction.Delay) []chunk {
	if len(ends) == 0 {
		return []chunk{{size: size}}
	}
	chunks := make([]chunk, 0, len(ends))
	start := 0
	for i, end := range ends {
		var delay interaction.Delay
		if i < len(delays) {
			delay = delays[i]
		}
		chunks = appendChunks(chunks, end-start, i, delay)
		start = end
	}
	return chunks
}

// appendChunks appends the chunks in which the server sent an event of size bytes. The
// beginning of the event may have come in the last one of chunks.
func appendChunks(chunks []chunk, size, piece int, delay interaction.Delay) []chunk {
	next := chunk{delayMS: delay.MS, piece: piece}
	if delay.Together && len(chunks) > 0 {
		last := len(chunks) - 1
		next = chunks[last]
		chunks = chunks[:last]
	}
	pieces, _ := delay.Rest.Pieces()
	for _, p := range pieces {
		n := size - p.BytesToEnd
		if n <= 0 {
			continue // the event was edited, and is shorter than it was
		}
		next.size += n
		chunks = append(chunks, next)
		size = p.BytesToEnd
		next = chunk{delayMS: p.MS, piece: piece}
	}
	next.size += size
	next.piece = piece
	return append(chunks, next)
}
