/** The three times of a plan as a bar to scale, with the same in words. */
import { zonedText } from '../../zone.ts'
import { phasesOf, type Phase, type ReadinessPlan } from './labels.ts'

const width = 1000

const x = (at: string | number, from: number, to: number): number =>
  (((typeof at === 'number' ? at : Date.parse(at)) - from) / (to - from || 1)) * width

export function Timeline({ plan, nowMs = Date.now() }: { plan: ReadinessPlan; nowMs?: number }) {
  const phases = phasesOf(plan, nowMs)
  const [from, to] = [Date.parse(phases[0]!.from), Date.parse(phases[2]!.to)]
  const isNow = nowMs > from && nowMs < to
  const part = (phase: Phase, at: number) => {
    const [left, right] = [x(phase.from, from, to), x(phase.to, from, to)]
    return (
      <rect
        class={at === 1 ? 'during' : 'around'}
        x={left}
        y="6"
        width={Math.max(2, right - left - 2)}
        height="18"
        rx="3"
      >
        <title>{phase.title}</title>
      </rect>
    )
  }
  return (
    <figure class="course">
      <svg
        viewBox={`0 0 ${width} 30`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plan.name}: ${phases.map(({ title, state }) => `${title}, ${state}`).join('; ')}`}
      >
        {phases.map(part)}
        {isNow && <line class="now" x1={x(nowMs, from, to)} x2={x(nowMs, from, to)} y1="0" y2="30" />}
      </svg>
      <ol>
        {phases.map(({ title, from: begins, to: ends, state }) => (
          <li key={title} class={state === 'now' ? 'is-now' : ''}>
            <strong>{title}</strong> <span class="badge">{state}</span>
            <span class="sub">{zonedText(begins, plan.timezone)}</span>
            <span class="sub faint">to {zonedText(ends, plan.timezone)}</span>
          </li>
        ))}
      </ol>
    </figure>
  )
}
