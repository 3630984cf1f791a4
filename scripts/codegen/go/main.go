// Runs next to the package api, which oapi-codegen generated.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"darkroom/codegen/api"
)

func main() {
	withKey := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})
	client, err := api.NewClientWithResponses(os.Args[1], withKey)
	must(err)
	seconds := 120
	created, err := client.CreateNbTextGenerationWithResponse(context.Background(), nil, api.FastTextGeneration{
		Prompt:          "a lighthouse at dusk",
		AspectRatio:     api.FastAspectRatioRATIO16X9,
		DeadlineSeconds: &seconds,
	})
	must(err)
	if created.JSON202 == nil {
		log.Fatal(string(created.Body))
	}
	wait := "wait=10"
	for {
		answer, err := client.GetJobWithResponse(context.Background(), created.JSON202.JobId.String(), &api.GetJobParams{Prefer: &wait})
		must(err)
		if answer.JSON200 == nil || answer.JSON200.Status == api.JobStatusFailed {
			log.Fatal(string(answer.Body))
		}
		if job := answer.JSON200; job.Status == api.JobStatusDone {
			fmt.Printf("Go: %d x %d\n", job.Result.Width, job.Result.Height)
			return
		}
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
