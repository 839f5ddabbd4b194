import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { tagRunEnded } from '#streams/tagging.ts'
import { acceptPending } from '#actors/tagging/policy/accept.ts'
import type { RunTools } from './page.ts'
import { tagRun, type TagRunInput } from './run.ts'
import { sweep } from './sweep.ts'
import { retries } from '#streams/retry.ts'

export function tagRunWork(tools: RunTools): EffectWork {
  return {
    name: tagRun.name,
    // People wait for it, so it must not wait for jobs that make up for an outage.
    pool: 'run',
    retry: retries.tagRun,
    run: async (input, call) => {
      const { wanted } = input as TagRunInput
      const told = wanted.kind === 'sweep' ? await sweep(tools, wanted, call) : await acceptPending(tools, wanted, call)
      await end(tools, input as TagRunInput, call, { resources: told })
    },
    failed: (input, call, { message }) => end(tools, input as TagRunInput, call, { resources: 0, failure: message }),
  }
}

async function end(
  { publisher }: RunTools,
  { runId, wanted: { kind } }: TagRunInput,
  { orgId, key }: EffectCall,
  outcome: { resources: number; failure?: string },
): Promise<void> {
  await publisher.publish({ subject: tagRunEnded, orgId, data: { kind, runId, ...outcome }, id: `${key}/ended` })
}
