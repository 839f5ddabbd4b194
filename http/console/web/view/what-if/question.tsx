/** The frame of every form: its days, its button, and what was answered or stands against it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { rangeText } from '../../day.ts'
import { Copies } from '../../part/copy.tsx'
import { FormProblem } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { Loading } from '../../part/report-content.tsx'
import { change, param } from '../../router.ts'
import type { Problem } from '../../problem.ts'
import { Answer } from './answer.tsx'
import { operation, type WhatIfState } from './use-what-if.ts'
import { draftOf, objectOf, type ChangeDraft, type Field } from './draft.ts'
import { Fields, placeOf } from './fields.tsx'

export interface QuestionProps {
  asking: WhatIfState
  title: string
  /** Places of errors that fields show. */
  places: readonly string[]
  read: () => Record<string, unknown>
  children?: ComponentChildren
}

export function Question({ asking, title, places, read, children }: QuestionProps) {
  const { doing, body, submit, textProblem } = asking
  const send = (event: Event) => {
    event.preventDefault()
    submit(read)
  }
  const { done, problem, isBusy } = doing
  return (
    <>
      <Panel title={title}>
        <form class="form wide" onSubmit={send} noValidate>
          {children}
          <Days />
          {textProblem && (
            <p class="note bad" role="alert">
              {textProblem}
            </p>
          )}
          <Against problem={problem} places={['/from', '/to', ...places]} />
          <p class="bar">
            <button type="submit" class="main" disabled={isBusy}>
              {isBusy ? 'Calculating…' : 'Run what-if'}
            </button>
            <span class="faint">Takes at most 10 seconds. Nothing is saved.</span>
          </p>
        </form>
      </Panel>
      {isBusy && <Loading rows={4} />}
      {done && (
        <Panel
          title="Result"
          about={`${rangeText(done.from, done.to)} · computed in ${done.tookMs} ms`}
          tools={<Copies report={{ operation, given: { body } }} />}
        >
          <Answer answer={done} body={body} />
        </Panel>
      )}
    </>
  )
}

/** At most 31 days; the 30 until yesterday, of rules and governance until today, unless given. */
function Days() {
  const set = (name: string) => (event: Event) =>
    change({ [name]: (event.target as HTMLInputElement).value || null, change: null })
  const field = (name: string, title: string) => (
    <label>
      {title} <input type="date" name={name} value={param(name) ?? ''} onChange={set(name)} />
    </label>
  )
  return (
    <div class="row">
      {field('from', 'From')}
      {field('to', 'To')}
      <span class="faint">At most 31 days; leave empty for the last 30.</span>
    </div>
  )
}

/** In words where the question was too much, or others are before it. */
function Against({ problem, places }: { problem: Problem | undefined; places: readonly string[] }) {
  if (!problem) return null
  if (problem.code === 'too_large' || problem.code === 'report_too_large')
    return (
      <p class="note bad" role="alert">
        The request is too large. {problem.message} Choose fewer days or narrow the scope.
      </p>
    )
  if (problem.code === 'unavailable' || problem.status === 503)
    return (
      <p class="note bad" role="alert">
        Not available right now. {problem.message} At most one what-if per organization, and two overall, run at a time.
        Nothing is lost: try again in a moment.
      </p>
    )
  if (problem.status === 429)
    return (
      <p class="note bad" role="alert">
        Your organization has reached its request rate limit. Try again in {problem.retryAfter ?? 1} s.
      </p>
    )
  return <FormProblem problem={problem} fields={places} />
}

/** A form of fields alone. */
export function useFields(fields: readonly Field[], given: Readonly<Record<string, unknown>>) {
  const [draft, setDraft] = useState<ChangeDraft>(() => draftOf(fields, given))
  const set = (path: string, text: string) => setDraft((now) => ({ ...now, [path]: text }))
  return { draft, set, setDraft, read: () => objectOf(fields, draft), places: fields.map(placeOf) }
}

export interface PlainProps {
  asking: WhatIfState
  title: string
  fields: readonly Field[]
  given: Readonly<Record<string, unknown>>
  intro?: ComponentChildren
  /** What is sent beside the fields. */
  besides?: Readonly<Record<string, unknown>>
}

export function PlainQuestion({ asking, title, fields, given, intro, besides = {} }: PlainProps) {
  const { draft, set, read, places } = useFields(fields, given)
  return (
    <Question asking={asking} title={title} places={places} read={() => ({ ...besides, ...read() })}>
      {intro}
      <Fields fields={fields} draft={draft} set={set} problem={asking.doing.problem} />
    </Question>
  )
}
