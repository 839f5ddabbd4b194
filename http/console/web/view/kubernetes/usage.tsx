/** What was used of what was requested: a bar where both are known, and words in any case. */
import { share } from '../../figure.ts'
import { Meter } from '../../part/meter.tsx'
import { hoursText, type ClusterCostRow } from './labels.ts'

type Hours = ClusterCostRow['cpuCoreHours']

/** Below this share of what was requested, and above all of it, it is worth a look. */
const leastGood = 0.5

export function Use({ hours: { requested, used }, unit, label }: { hours: Hours; unit: string; label: string }) {
  if (requested === 0 && used === 0) return <span class="faint">–</span>
  if (requested === 0)
    return (
      <>
        {hoursText(used)} {unit} used<span class="faint">nothing requested</span>
      </>
    )
  if (used === 0)
    return (
      <>
        {hoursText(requested)} {unit} requested<span class="faint">no usage measured</span>
      </>
    )
  const part = used / requested
  const state = part < leastGood || part > 1 ? 'warn' : 'good'
  return (
    <Meter value={part} max={1} state={state} label={`${label}: used of requested`}>
      {share(part)}{' '}
      <span class="faint">
        {hoursText(used)} of {hoursText(requested)} {unit}
      </span>
    </Meter>
  )
}
