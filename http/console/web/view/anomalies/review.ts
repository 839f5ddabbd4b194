/** What people say of it: somebody looks at it, or it is no surprise until a day. Said here, and taken back. */
import { useEffect, useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { addDays, ago, dayText, timeText, today } from '../../day.ts'
import { Panel } from '../../part/panel.ts'
import { Failed } from '../../part/state.ts'
import { useDoing } from '../../report.ts'
import { may, session } from '../../session.ts'
import { draftOf, forget, keep, type Draft } from './draft.ts'
import { Status } from './list.ts'
import type { Detail, Review } from './words.ts'

const needed = 'service.update'

export function ReviewForm({ data, again }: { data: Detail; again: () => void }) {
  const { review } = data
  return html`<${Panel} title="What is said of it">
    <p><${Status} review=${review} />${review && html`${' '}<span class="faint">said by ${whoSaid(review)}, <time datetime=${review.at} title=${timeText(review.at)}>${ago(review.at)}</time></span>`}</p>
    ${review?.note && html`<blockquote class="said" dir="auto">${review.note}</blockquote>`}
    <${Say} data=${data} again=${again} />
  <//>`
}

function whoSaid({ by }: Review): string {
  if (by === '') return 'a token of the organization'
  return by === session.value?.me.user?.id ? 'you' : 'somebody else'
}

/** As far ahead as the API takes it, days. */
const aheadMax = 400

function Say({ data: { id, date, review }, again }: { data: Detail; again: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(id, review?.at, { date, today: today() }))
  const put = useDoing('PUT /reports/anomalies/:anomalyID/review')
  const taken = useDoing('DELETE /reports/anomalies/:anomalyID/review')
  useEffect(() => keep(id, draft), [draft])
  const can = may(needed)
  const isBusy = put.isBusy || taken.isBusy
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const say = async (state: 'acknowledged' | 'expected') => {
    taken.clear()
    const note = draft.note.trim()
    const body = { state, ...(state === 'expected' && { until: draft.until }), ...(note !== '' && { note }) }
    const done = await put.run({ params: { anomalyID: id }, body })
    if (!done) return
    forget(id)
    setDraft({ ...draft, note: '', seen: done.review?.at })
    again()
  }
  const takeBack = async () => {
    put.clear()
    // What is answered has no body: whether it failed is said by the problem.
    await taken.run({ params: { anomalyID: id } })
    again()
  }
  const isOther = review?.at !== draft.seen && draft.note !== ''
  return html`<form class="form" onSubmit=${(event: Event) => {
    event.preventDefault()
    void say('expected')
  }}>
    ${isOther && html`<p class="note" role="status">Meanwhile ${review ? `${whoSaid(review)} said that it is ${review.state}` : 'what was said of it was taken back'}; what you say takes the place of it.</p>`}
    <label>Note, for everybody who may see it <textarea class="words" rows="2" maxlength="1000" dir="auto" name="note" value=${draft.note} disabled=${!can} onInput=${(event: Event) => set({ note: (event.target as HTMLTextAreaElement).value })}></textarea></label>
    <div class="row">
      <button type="button" class="main" disabled=${!can || isBusy} onClick=${() => void say('acknowledged')}>${review?.state === 'acknowledged' ? 'Acknowledge again' : 'Acknowledge'}</button>
      <label>Expected until <input type="date" name="until" required min=${date} max=${addDays(today(), aheadMax)} value=${draft.until} disabled=${!can} onInput=${(event: Event) => set({ until: (event.target as HTMLInputElement).value })} /></label>
      <button type="submit" disabled=${!can || isBusy}>It is expected</button>
      ${review && html`<button type="button" class="danger" disabled=${!can || isBusy} onClick=${() => void takeBack()}>Take it back</button>`}
    </div>
    ${!can && html`<p class="note">To say something of it your role needs the right <code>${needed}</code>; it is <strong>${session.value?.me.role}</strong>. An administrator of your organization can give it to you.</p>`}
    ${put.problem && html`<${Failed} problem=${put.problem} />`}
    ${taken.problem && html`<${Failed} problem=${taken.problem} />`}
    ${can && html`<p class="faint">Acknowledged: somebody looks at it; who is told stays the same. Expected: nobody is told of further ones of this row up to ${draft.until === '' ? 'the day' : dayText(draft.until)}, that day included; they are recorded as ever. Either takes the place of what was said before, and can be taken back${review?.state === 'expected' ? '; people are told of what comes then, not of what was recorded meanwhile' : ''}. Other rows of the same cause are not meant.</p>`}
  </form>`
}
