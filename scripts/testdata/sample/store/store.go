// Package store finds texts by what they mean.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// A Store holds texts and their embeddings.
type Store struct {
	client    *http.Client
	base, key string
	texts     []string
	vectors   [][]float64
}

// Open asks for the embeddings of texts.
func Open(ctx context.Context, client *http.Client, base, key string, texts ...string) (*Store, error) {
	s := &Store{client: client, base: base, key: key, texts: texts}
	var err error
	s.vectors, err = s.embed(ctx, texts)
	return s, err
}

// Nearest returns the text that is nearest to a query.
func (s *Store) Nearest(ctx context.Context, query string) (string, error) {
	v, err := s.embed(ctx, []string{query})
	if err != nil {
		return "", err
	}
	best, nearest := 0, -2.0
	for i, vector := range s.vectors {
		product := 0.0
		for j := range vector {
			product += vector[j] * v[0][j]
		}
		if product > nearest {
			best, nearest = i, product
		}
	}
	return s.texts[best], nil
}

func (s *Store) embed(ctx context.Context, texts []string) ([][]float64, error) {
	body, err := json.Marshal(map[string]any{"model": "text-embedding-3-small", "input": texts})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", s.base+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Data []struct{ Embedding []float64 }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("the provider says %s and gives %d embeddings for %d texts", resp.Status, len(answer.Data), len(texts))
	}
	vectors := make([][]float64, len(texts))
	for i, d := range answer.Data {
		vectors[i] = d.Embedding
	}
	return vectors, nil
}
