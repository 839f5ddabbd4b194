/** Deployments that went live: marked in charts of costs and listed below them, unless somebody switched them off. */
import type { Reply } from '../api.ts'
import { dayShort } from '../day.ts'
import { isFlag, preference } from '../frame/preference.ts'
import { pluralize } from '../figure.ts'
import { useReport } from '../report.ts'
import { hrefOf } from '../router.ts'
import { may } from '../session.ts'
import { atDay } from './notes.tsx'
import type { Period } from './period.tsx'
import type { Mark } from './series.ts'

export type DeployedRevisions = Reply<'GET /revisions'>

const shownMax = 5

const shown = preference('deployment-marks', isFlag, true)

/** Empty for roles that see no deployments. */
export function useDeployments({ from, to }: Period): DeployedRevisions {
  const { data } = useReport('GET /revisions', { query: { from, to }, when: may('deployment.view') })
  return data ?? []
}

const dayOf = ({ completedAt }: DeployedRevisions[number]): string => completedAt.slice(0, 10)
const nameOf = ({ deploymentName }: DeployedRevisions[number]): string => deploymentName || 'Deleted deployment'
const versionOf = ({ imageRef, commitSHA }: DeployedRevisions[number]): string =>
  imageRef?.split('/').at(-1) ?? commitSHA.slice(0, 10)

export const deploymentMarks = (periods: readonly string[], deployed: DeployedRevisions): Mark[] =>
  shown.value
    ? deployed.flatMap((one) =>
        atDay(periods, dayOf(one), {
          text: `deployed ${nameOf(one)}, ${versionOf(one)}`,
          severity: 'info',
          letter: 'D',
        }),
      )
    : []

export function Deployments({ deployed }: { deployed: DeployedRevisions }) {
  if (deployed.length === 0) return null
  const listed = shown.value ? deployed.toReversed().slice(0, shownMax) : []
  return (
    <div class="notes">
      <label>
        <input
          type="checkbox"
          checked={shown.value}
          onChange={(event: Event) => shown.set((event.target as HTMLInputElement).checked)}
        />{' '}
        Show {pluralize(deployed.length, 'deployment')}
      </label>
      {listed.length > 0 && (
        <ul class="list" aria-label="Deployments">
          {listed.map((one) => (
            <li key={one.id}>
              <strong class="nowrap">{dayShort(dayOf(one))}</strong>{' '}
              <a href={hrefOf('provisioning', { tab: 'deployments', deployment: one.deploymentID })} dir="auto">
                {nameOf(one)}
              </a>{' '}
              <span class="faint wrap" dir="auto">
                {versionOf(one)}
              </span>
            </li>
          ))}
          {deployed.length > listed.length && (
            <li>
              <a href={hrefOf('provisioning', { tab: 'deployments' })}>{deployed.length - listed.length} earlier</a>
            </li>
          )}
        </ul>
      )}
    </div>
  )
}
