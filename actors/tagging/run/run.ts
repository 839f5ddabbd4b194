import { defineActor } from '#engine/actor/actor.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect, Turn } from '#engine/actor/turn.ts'
import { tagRunEnded, TagRunWanted, tagRunWanted } from '#streams/tagging.ts'
import { TagRun } from './entity.ts'

/** Sends messages to all resources of a run; implemented in `work.ts`. */
export const tagRun = {
  name: 'tag-run',
  schema: t.Object({ runId: t.String(), wanted: TagRunWanted }),
} satisfies Effect
export type TagRunInput = Static<typeof tagRun.schema>

const keyOf = (kind: 'sweep' | 'accept', runId: string): string => (kind === 'sweep' ? 'sweep' : runId)

/** A run over the tags of an organization. One sweep runs at a time, and at most one more waits. */
export const tagRunActor = defineActor({
  kind: 'tag-run',
  entity: TagRun,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({
    runId: '',
    status: 'completed' as const,
    wanted: { kind: 'sweep' as const, whole: false },
    again: null,
    resources: 0,
    failure: null,
    startedAt: new Date(0),
    endedAt: null,
  }),
  reactions: (on) => [
    on(
      tagRunWanted,
      ({ runId, wanted }) => keyOf(wanted.kind, runId),
      (run, { runId, wanted }, turn) => {
        if (run.status !== 'queued') begin(run, runId, wanted, turn)
        else if (wanted.kind === 'sweep') run.again = { whole: wanted.whole || run.again?.whole === true }
        turn.reply({ runId: run.runId, status: run.status })
      },
    ),

    on(
      tagRunEnded,
      ({ kind, runId }) => keyOf(kind, runId),
      (run, { runId, resources, failure }, turn) => {
        if (run.runId !== runId || run.status !== 'queued') return
        Object.assign(run, { resources, failure: failure ?? null, endedAt: turn.now })
        run.status = failure === undefined ? 'completed' : 'failed'
        if (run.again) begin(run, turn.id(), { kind: 'sweep', whole: run.again.whole }, turn)
      },
      { existing: true },
    ),
  ],
})

function begin(run: TagRun, runId: string, wanted: TagRun['wanted'], turn: Turn): void {
  Object.assign(run, { runId, wanted, again: null, resources: 0, failure: null, endedAt: null })
  run.status = 'queued'
  run.startedAt = turn.now
  turn.call(tagRun, `tag-run/${turn.address.orgId}/${runId}`, { runId, wanted })
}
