// Asks what a dashboard asks, by the driver that Grafana has, and prints the answers as JSON.
// Usage: go run . HOST:PORT PATH none|lz4|zstd|gzip PASSWORD
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

var methods = map[string]clickhouse.CompressionMethod{
	"none": clickhouse.CompressionNone,
	"lz4":  clickhouse.CompressionLZ4,
	"zstd": clickhouse.CompressionZSTD,
	"gzip": clickhouse.CompressionGZIP,
}

func main() {
	db := clickhouse.OpenDB(&clickhouse.Options{
		Addr:        []string{os.Args[1]},
		Auth:        clickhouse.Auth{Username: "analyst", Password: os.Args[4]},
		Protocol:    clickhouse.HTTP,
		HttpUrlPath: os.Args[2],
		Compression: &clickhouse.Compression{Method: methods[os.Args[3]]},
		ReadTimeout: 20 * time.Second,
	})
	defer db.Close()
	// A deadline makes the driver set max_execution_time.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	must(db.PingContext(ctx))
	var queries []string
	must(json.NewDecoder(os.Stdin).Decode(&queries))
	answers := []any{}
	for _, query := range queries {
		answers = append(answers, answer(ctx, db, query))
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

// answer is the rows of a query, or the code of what it fails with.
func answer(ctx context.Context, db *sql.DB, query string) any {
	found, err := db.QueryContext(ctx, query)
	var refused *clickhouse.Exception
	if errors.As(err, &refused) {
		return refused.Code
	}
	must(err)
	defer found.Close()
	columns, err := found.Columns()
	must(err)
	rows := [][]any{}
	for found.Next() {
		row := make([]any, len(columns))
		places := make([]any, len(columns))
		for i := range row {
			places[i] = &row[i]
		}
		must(found.Scan(places...))
		rows = append(rows, row)
	}
	must(found.Err())
	return rows
}

func must(err error) {
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}
