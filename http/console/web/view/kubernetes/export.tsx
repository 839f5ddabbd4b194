/** All pods of the days, and what else clusters cost, as a file: exports are narrowed by account alone. */
import { useRequest } from '../../report.ts'
import type { KubernetesQuery } from './query.ts'

/** A link that was made is of the days that were shown then: others begin anew. */
export const Export = ({ now }: { now: KubernetesQuery }) => <File key={JSON.stringify(now.of)} now={now} />

function File({ now: { period, of, clusters, namespaces, labels } }: { now: KubernetesQuery }) {
  const made = useRequest('POST /reports/export')
  if (clusters.length + namespaces.length + labels.length > 0) return null
  const accounts = of['cloud_account_id'] as readonly string[]
  const body = {
    report: 'kubernetes',
    format: 'csv',
    ...period,
    ...(of['cost'] !== undefined && { cost: of['cost'] }),
    ...(accounts.length > 0 && { cloud_account_id: accounts }),
  }
  const make = async () => {
    const link = await made.run({ body })
    if (link) location.assign(link.downloadURL)
  }
  return (
    <span class="exports">
      <button
        type="button"
        class="quiet"
        disabled={made.isBusy}
        onClick={make}
        title="Every pod by node, plus idle, overhead and unmeasured costs"
      >
        {made.isBusy ? 'Exporting…' : 'Pods as CSV'}
      </button>
      {made.done && (
        <>
          <a href={made.done.downloadURL} download>
            Download
          </a>{' '}
          <span class="faint">the link works for 15 minutes</span>
        </>
      )}
      {made.problem && (
        <span class="note bad" role="alert">
          {made.problem.message}
        </span>
      )}
    </span>
  )
}
