import { defineActor } from '#engine/actor/actor.ts'
import { sourceRead, sourceRemoved } from '#streams/kubernetes/messages.ts'
import { gapsMax, KubernetesSourceState, type Gap } from './source.ts'

/** How far one usage source has been read. */
export const kubernetesSourceActor = defineActor({
  kind: 'kubernetes-source',
  entity: KubernetesSourceState,
  address: { orgId: 'orgId', key: 'sourceId' },
  initial: () => ({ readingId: '', through: null, failure: null, gaps: [] as Gap[] }),
  reactions: (on) => [
    on(
      sourceRead,
      ({ sourceId }) => sourceId,
      (state, { readingId, through, gap, failure }) => {
        if (state.readingId !== readingId) Object.assign(state, { readingId, through: null, gaps: [] })
        state.failure = failure
        if (through === undefined || (state.through && new Date(through) <= state.through)) return
        state.through = new Date(through)
        if (gap) state.gaps = withGap(state.gaps, { ...gap, until: through })
      },
    ),
    on(
      sourceRemoved,
      ({ sourceId }) => sourceId,
      (_, _removed, turn) => turn.remove(),
    ),
  ],
})

/** If an hour lacks the same series as the hour before, it extends that gap. */
function withGap(gaps: readonly Gap[], gap: Gap): Gap[] {
  const [last, ...others] = gaps
  const isNext = last?.until === gap.from && last.series.join() === gap.series.join()
  return isNext ? [{ ...last, until: gap.until }, ...others] : [gap, ...gaps].slice(0, gapsMax)
}
