package session

// A Builder makes the recording of a conversation from its messages. The zero
// value is ready to use. Its methods must not be called concurrently.
//
// Pieces of bytes of one form become one part until a message is received. Other
// sent messages between them do not end the part: a goroutine that sends them
// meets the stream of bytes at another place in each run.
type Builder struct {
	messages []Message
	parts    map[string]openPart // by form, since the last received message
}

// An openPart is a part to which pieces are added.
type openPart struct {
	index  int // of the message
	digest *Digest
}

// Send adds a message that the program sent, and returns the index of the message.
func (b *Builder) Send(form string) int {
	b.messages = append(b.messages, Message{Sent: true, Form: form})
	return len(b.messages) - 1
}

// SendBytes adds bytes that the program sent, and returns the index of the message
// that is their part.
func (b *Builder) SendBytes(form string, piece []byte) int {
	part, isOpen := b.parts[form]
	if !isOpen {
		part = openPart{index: len(b.messages), digest: NewDigest()}
		b.messages = append(b.messages, Message{Sent: true, Form: form, Part: true})
		if b.parts == nil {
			b.parts = map[string]openPart{}
		}
		b.parts[form] = part
	}
	part.digest.Add(piece)
	b.messages[part.index].Size += int64(len(piece))
	return part.index
}

// Receive adds a message that the program received, and returns the index of the
// message. All parts end before it.
func (b *Builder) Receive(form string) int {
	b.endParts()
	b.messages = append(b.messages, Message{Form: form})
	return len(b.messages) - 1
}

// Recording returns the recording of all messages. All parts end.
func (b *Builder) Recording() Recording {
	b.endParts()
	return Recording{Messages: b.messages}
}

func (b *Builder) endParts() {
	for _, part := range b.parts {
		b.messages[part.index].Sum = part.digest.Sum()
	}
	clear(b.parts)
}
