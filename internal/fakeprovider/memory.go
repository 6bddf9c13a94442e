package fakeprovider

import "sync"

// memory keeps the conversations that previous_response_id refers to.
type memory struct {
	mu    sync.Mutex
	turns map[string][]turn
}

func (m *memory) get(id string) ([]turn, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	turns, ok := m.turns[id]
	return turns, ok
}

func (m *memory) put(id string, turns []turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[string][]turn{}
	}
	m.turns[id] = turns
}
