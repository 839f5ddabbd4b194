/** One delivery with the whole event it tells of. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { change, hrefOf, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Copies } from '../../part/copy.tsx'
import { Drawer } from '../../part/drawer.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { stateBadge } from './delivery-state.tsx'

type DeliveryDetail = Reply<'GET /notifications/deliveries/:deliveryID'>

export function OneDelivery({ id }: { id: string }) {
  const report = useReport('GET /notifications/deliveries/:deliveryID', { params: { deliveryID: id } })
  return (
    <Drawer title="Delivery" onClose={() => change({ delivery: null })}>
      <ReportContent report={report} rows={6}>
        {(data: DeliveryDetail) => (
          <>
            <h3 class="said" dir="auto">
              {data.event.title}
            </h3>
            <p class="said" dir="auto">
              {data.event.summary}
            </p>
            <p>
              {stateBadge(data)} after {data.tries} {data.tries === 1 ? 'attempt' : 'attempts'}
              {data.responseStatus ? `; the receiver returned ${data.responseStatus}` : ''}.
              {data.message ? ` ${data.message}` : ''}
            </p>
            <p class="faint">
              Triggered {timeText(data.event.occurredAt)}
              {data.endedAt ? `, ended ${timeText(data.endedAt)}` : ''}
              {data.nextTryAt ? `, next attempt ${timeText(data.nextTryAt)}` : ''}. {data.eventType}
            </p>
            {data.foldedInto && (
              <p>
                <a href={hrefOf('notifications', withParams({ delivery: data.foldedInto }))}>
                  The delivery that includes it
                </a>
              </p>
            )}
            <p>
              <Copies report={report} />
            </p>
            <pre class="body" tabindex={0} aria-label="Event">
              {JSON.stringify(data.event, null, 2)}
            </pre>
          </>
        )}
      </ReportContent>
    </Drawer>
  )
}
