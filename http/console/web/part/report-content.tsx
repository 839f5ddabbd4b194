/** What stands where figures are not there: being asked, nothing to show, or a problem, each with its next step. */
import type { ComponentChildren } from 'preact'
import { inWords, isTrying, type Problem } from '../problem.ts'
import { hrefOf } from '../router.ts'
import type { Report } from '../report.ts'

export const Loading = ({ rows = 3 }: { rows?: number | undefined }) => (
  <div class="loading" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, at) => (
      <span class="bone" key={at} />
    ))}
  </div>
)

export interface EmptyProps {
  title: string
  children?: ComponentChildren
}

/** Nothing there, and what to do next. */
export const Empty = ({ title, children }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

export function ProblemMessage({ problem, again }: { problem: Problem; again?: () => void }) {
  const { title, advice } = inWords(problem)
  if (isTrying(problem))
    return (
      <p class="note" role="status">
        <strong>{title}.</strong> {advice}
      </p>
    )
  return (
    <div class="failed" role="alert">
      <p class="empty-title">{title}</p>
      <p>{advice}</p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((one) => (
            <li key={`${one.name} ${one.message}`}>
              <code>{one.name.replace(/^\//, '')}</code> {one.message}
            </li>
          ))}
        </ul>
      )}
      <p class="faint">
        {problem.code}
        {problem.requestId && (
          <>
            {' '}
            · request <code>{problem.requestId}</code>
          </>
        )}
      </p>
      {problem.code === 'second_factor_required' && (
        <p>
          <a href={hrefOf('account', { tab: 'second-factor' })}>Set up your second factor</a>
        </p>
      )}
      {again && problem.status !== 403 && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

export interface ReportContentProps<T> {
  report: Report<T>
  rows?: number | undefined
  /** Drawn of what was answered. */
  children: (data: T) => ComponentChildren
}

/** A report's figures, or what stands in their place. What was answered before stays while it is asked again. */
export function ReportContent<T>({ report, rows, children }: ReportContentProps<T>) {
  const { data, problem, isAsking, again } = report
  if (data !== undefined) {
    return (
      <div class={isAsking ? 'shown asking' : 'shown'} aria-busy={isAsking}>
        {problem && <ProblemMessage problem={problem} again={again} />}
        {children(data)}
      </div>
    )
  }
  if (problem) return <ProblemMessage problem={problem} again={again} />
  return <Loading rows={rows} />
}
