/** What people say of it: somebody looks at it, or it is no surprise until a day. Said here, and taken back. */
import { useEffect, useState } from 'preact/hooks'
import { addDays, ago, dayText, timeText, today } from '../../day.ts'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { useRequest } from '../../report.ts'
import { may, session } from '../../session.ts'
import { draftOf, keep, type ReviewDraft } from './draft.ts'
import { Status } from './list.tsx'
import type { Detail, Review } from './labels.ts'

const requiredPermission = 'service.update'

export interface ReviewProps {
  data: Detail
  /** It was said; undefined: it was tried to take it back. */
  onSaid: (review: Review | undefined) => void
}

export function ReviewForm({ data, onSaid }: ReviewProps) {
  const { review } = data
  return (
    <Panel title="Review">
      <p>
        <Status review={review} />
        {review && (
          <>
            {' '}
            <span class="faint">
              set by {whoSaid(review)},{' '}
              <time datetime={review.at} title={timeText(review.at)}>
                {ago(review.at)}
              </time>
            </span>
          </>
        )}
      </p>
      {review?.note && (
        <blockquote class="said" dir="auto">
          {review.note}
        </blockquote>
      )}
      <Say data={data} onSaid={onSaid} />
    </Panel>
  )
}

function whoSaid({ by }: Review): string {
  if (by === '') return 'an organization token'
  return by === session.value?.me.user?.id ? 'you' : 'someone else'
}

/** How far ahead the API takes it, days. */
const aheadMax = 400

function Say({ data, onSaid }: ReviewProps) {
  const { id, date, review } = data
  const { draft, set, say, takeBack, isBusy, problem } = useSaying(data, onSaid)
  const can = may(requiredPermission)
  const isOff = !can || isBusy
  const submit = (event: Event) => {
    event.preventDefault()
    void say('expected')
  }
  return (
    <form class="form" onSubmit={submit} key={id}>
      <Meanwhile review={review} draft={draft} />
      <label>
        Note (visible to everyone who can see this anomaly){' '}
        <textarea
          class="words"
          rows={2}
          maxlength={1000}
          dir="auto"
          name="note"
          value={draft.note}
          disabled={!can}
          onInput={(event: Event) => set({ note: (event.target as HTMLTextAreaElement).value })}
        />
      </label>
      <div class="row">
        <button type="button" class="main" disabled={isOff} onClick={() => void say('acknowledged')}>
          {review?.state === 'acknowledged' ? 'Acknowledge again' : 'Acknowledge'}
        </button>
        <label>
          Expected until{' '}
          <input
            type="date"
            name="until"
            required
            min={date}
            max={addDays(today(), aheadMax)}
            value={draft.until}
            disabled={!can}
            onInput={(event: Event) => set({ until: (event.target as HTMLInputElement).value })}
          />
        </label>
        <button type="submit" disabled={isOff}>
          Mark as expected
        </button>
        {review && (
          <button type="button" class="danger" disabled={isOff} onClick={() => void takeBack()}>
            Clear status
          </button>
        )}
      </div>
      {problem && <ProblemMessage problem={problem} />}
      {can ? <Meaning until={draft.until} review={review} /> : <NoPermission />}
    </form>
  )
}

/** What another said while this was typed. */
function Meanwhile({ review, draft }: { review: Review | undefined; draft: ReviewDraft }) {
  if (review?.at === draft.seen || draft.note === '') return null
  const what = review ? `${whoSaid(review)} set it to ${review.state}` : 'the status was cleared'
  return (
    <p class="note" role="status">
      In the meantime, {what}. The status you set replaces that.
    </p>
  )
}

const NoPermission = () => (
  <p class="note">
    Setting a status requires the permission <code>{requiredPermission}</code>; your role is{' '}
    <strong>{session.value?.me.role}</strong>. An administrator of your organization can grant it to you.
  </p>
)

/** What will happen, and whether it can be undone. */
function Meaning({ until, review }: { until: string; review: Review | undefined }) {
  const then =
    review?.state === 'expected'
      ? '; people are then notified about new anomalies, not about those recorded in the meantime'
      : ''
  return (
    <p class="faint">
      Acknowledged: someone is looking into it; notifications do not change. Expected: no one is notified about further
      anomalies of this row through {until === '' ? 'the date' : dayText(until)}; they are still recorded. Either status
      replaces the previous one and can be cleared{then}. Other rows of the same cause are not affected.
    </p>
  )
}

/** What is typed, and what is done with it. What is refused stays typed. */
function useSaying({ id, date, review }: Detail, onSaid: ReviewProps['onSaid']) {
  const [draft, setDraft] = useState<ReviewDraft>(() => draftOf(id, review?.at, { date, today: today() }))
  const put = useRequest('PUT /reports/anomalies/:anomalyID/review')
  const taken = useRequest('DELETE /reports/anomalies/:anomalyID/review')
  useEffect(() => keep(id, draft), [draft])
  const set = (changes: Partial<ReviewDraft>) => setDraft({ ...draft, ...changes })
  const say = async (state: Review['state']) => {
    taken.clear()
    const note = draft.note.trim()
    const body = { state, ...(state === 'expected' && { until: draft.until }), ...(note !== '' && { note }) }
    const done = await put.run({ params: { anomalyID: id }, body })
    if (!done) return
    setDraft((now) => ({ ...now, note: now.note === draft.note ? '' : now.note, seen: done.review?.at }))
    onSaid(done.review)
  }
  const takeBack = async () => {
    put.clear()
    await taken.run({ params: { anomalyID: id } })
    onSaid(undefined)
  }
  return { draft, set, say, takeBack, isBusy: put.isBusy || taken.isBusy, problem: put.problem ?? taken.problem }
}
