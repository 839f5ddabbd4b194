/** The steps of a workflow: those that would be, and those that are, each with what it says. */
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { Pairs, type Pair } from '../../part/pairs.tsx'
import { valueText, wordsOf } from '../../part/value-text.ts'
import { failureText, stepBadge, stepStatusName, stepText, type WorkflowStep } from './labels.ts'

type PlannedStep = Pick<
  WorkflowStep,
  'id' | 'name' | 'kind' | 'approvals' | 'expiresHours' | 'timeoutMinutes' | 'reversible'
>

const bounds = ({ approvals, expiresHours, timeoutMinutes, reversible, kind }: PlannedStep): string =>
  [
    approvals !== undefined && pluralize(approvals, 'person', 'different people'),
    expiresHours !== undefined && `waits at most ${pluralize(expiresHours, 'hour')}`,
    timeoutMinutes !== undefined && `checks for ${pluralize(timeoutMinutes, 'minute')}`,
    (kind === 'execute' || kind === 'pause_service') && (reversible ? 'can be undone manually' : 'CANNOT be undone'),
  ]
    .filter(Boolean)
    .join(', ')

export const PlannedSteps = ({ steps }: { steps: readonly PlannedStep[] }) => (
  <ol class="steps" aria-label="Steps">
    {steps.map((step) => (
      <li key={step.id}>
        <strong>{step.name.replaceAll('_', ' ')}</strong>{' '}
        <span class="faint">
          {stepText(step.kind)}
          {bounds(step) && `; ${bounds(step)}`}
        </span>
      </li>
    ))}
  </ol>
)

export const Steps = ({ steps, now }: { steps: readonly WorkflowStep[]; now: string | null }) => (
  <ol class="steps" aria-label="Steps">
    {steps.map((step) => (
      <li key={step.id} aria-current={step.name === now ? 'step' : undefined}>
        <One step={step} />
      </li>
    ))}
  </ol>
)

function One({ step }: { step: WorkflowStep }) {
  const { name, kind, status, startedAt, completedAt, errorMessage, output = {} } = step
  const at = completedAt ?? startedAt
  const why = failureText(output['code'])
  return (
    <>
      <p class="step">
        <strong>{name.replaceAll('_', ' ')}</strong>{' '}
        <span class={`badge ${stepBadge(status)}`}>{stepStatusName(status)}</span>
        {at && (
          <>
            {' '}
            <time class="faint" datetime={at} title={timeText(at)}>
              {ago(at)}
            </time>
          </>
        )}
      </p>
      <p class="faint">
        {stepText(kind)}
        {bounds(step) && `; ${bounds(step)}`}
      </p>
      {errorMessage && (
        <p class="note bad" dir="auto">
          {errorMessage}
          {why && (
            <>
              {' '}
              <span>{why}</span>
            </>
          )}
        </p>
      )}
      <Output output={output} />
    </>
  )
}

/** Said elsewhere. */
const saidElsewhere = ['code', 'operation', 'waitingFor']

function Output({ output }: { output: Readonly<Record<string, unknown>> }) {
  const waiting = output['waitingFor'] as { message?: string; retryAt?: string } | undefined
  const pairs = Object.entries(output)
    .filter(([name]) => !saidElsewhere.includes(name))
    .map(([name, value]): Pair => {
      const text = name.endsWith('At') && typeof value === 'string' ? timeText(value) : valueText(value)
      const shown = <span dir="auto">{text}</span>
      return [wordsOf(name), shown]
    })
  return (
    <>
      {waiting && (
        <p class="note" role="status">
          Waiting: <span dir="auto">{waiting.message}</span>
          {waiting.retryAt && ` It checks again by ${timeText(waiting.retryAt)}.`}
        </p>
      )}
      {pairs.length > 0 && <Pairs pairs={pairs} label="Step output" />}
    </>
  )
}
