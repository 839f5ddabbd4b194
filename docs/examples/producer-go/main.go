// Publishes a resource and a metric sample. Each line it prints is NATS's answer: the message is on disk.
//
//	NATS=nats://producer-...:...@127.0.0.1:4222 ORG=... go run .
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

type object map[string]any

func main() {
	org, account := os.Getenv("ORG"), os.Getenv("ACCOUNT")
	if account == "" {
		account = "acct-1"
	}
	// This client takes the user and the password in the address; nats.UserInfo(user, password) does the same.
	client, err := nats.Connect(os.Getenv("NATS"))
	check(err)
	stream, err := jetstream.New(client)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	publish := func(kind, messageType string, data object) {
		envelope, err := json.Marshal(object{
			"id": nuid.Next(), "type": messageType, "schemaVersion": 1, "orgId": org, "time": now, "source": "example", "data": data,
		})
		check(err)
		// An error means that NATS did not acknowledge. Publish the same envelope again then: a repeat has no effect.
		ack, err := stream.Publish(ctx, fmt.Sprintf("ingest.%s.%s.%s", kind, org, account), envelope)
		check(err)
		fmt.Println(messageType, ack.Stream, ack.Sequence)
	}

	publish("resource", "resource.discovered", object{
		"resourceUid": "i-go", "name": "from-go", "type": "aws-ec2", "provider": "aws", "cloudAccountId": account,
		"region": "us-east-1", "status": "running", "instanceType": "m5.large", "tags": object{"env": "prod"},
	})
	publish("metric", "metric.sample", object{
		"resourceUid": "i-go", "samples": []object{{"metric": "cpu_percent", "value": 12.5, "ts": now}},
	})
	check(client.Drain())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
