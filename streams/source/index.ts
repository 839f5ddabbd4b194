/** The source hosts whose webhooks are accepted. */
import { azureDevops } from '#streams/source/azure-devops.ts'
import { bitbucket } from '#streams/source/bitbucket.ts'
import type { SourceReader } from '#streams/source/event.ts'
import { github } from '#streams/source/github.ts'
import { gitlab } from '#streams/source/gitlab.ts'

export const sourceReaders = { github, gitlab, bitbucket, azureDevops } as const satisfies Record<string, SourceReader>
