/** A card for the entity page: costs of the last 30 days by service, compared with the days before. */
import { InfoCard, Progress, ResponseErrorPanel, Table } from '@backstage/core-components'
import { discoveryApiRef, fetchApiRef, useApi } from '@backstage/core-plugin-api'
import { useEntity } from '@backstage/plugin-catalog-react'
import useAsync from 'react-use/lib/useAsync'

export function CostCard() {
  const { entity } = useEntity()
  const [discovery, { fetch }] = [useApi(discoveryApiRef), useApi(fetchApiRef)]
  const filter = entity.metadata.annotations?.['tidemark/filter'] ?? ''
  const { value, loading, error } = useAsync(async () => {
    const base = await discovery.getBaseUrl('proxy')
    const query = new URLSearchParams(filter)
    for (const [name, one] of [
      ['group_by', 'service_name'],
      ['granularity', 'monthly'],
      ['compare', 'previous'],
    ])
      query.set(name!, one!)
    const answer = await fetch(`${base}/tidemark/reports/costs/series?${query}`)
    if (!answer.ok) throw new Error((await answer.json()).detail)
    return (await answer.json()).data
  }, [filter])
  if (filter === '') return null
  if (loading) return <Progress />
  if (error) return <ResponseErrorPanel error={error} />
  return (
    <InfoCard title="Cost" subheader={`$${value.total.costUSD.toFixed(2)} in 30 days`}>
      <Table
        options={{ paging: false, search: false, toolbar: false }}
        columns={[
          { title: 'Service', field: 'label' },
          { title: 'USD', field: 'costUSD', type: 'numeric' },
          { title: 'Change %', field: 'deltaPercent', type: 'numeric' },
        ]}
        data={value.series}
      />
    </InfoCard>
  )
}
