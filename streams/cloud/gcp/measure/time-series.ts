/** Time series of Cloud Monitoring, listed by Google's client over HTTPS. */
import type { MetricServiceClient, protos } from '@google-cloud/monitoring'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { gcpFault } from '#streams/cloud/gcp/session/fault.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { OneSeries } from './query.ts'

type Request = protos.google.monitoring.v3.IListTimeSeriesRequest

/** Points per page. */
const pageSize = 50_000
/** Maximum pages of one list. */
const pagesMax = 20_000

const asked = { service: 'monitoring', permission: 'monitoring.timeSeries.list' } as const

export class TimeSeries {
  private readonly session: GcpSession
  private client: Promise<MetricServiceClient> | undefined

  constructor(session: GcpSession) {
    this.session = session
  }

  /** Yields page by page. @throws a `cloudFault` */
  async *pages(request: Request): AsyncGenerator<OneSeries[]> {
    const { session } = this
    this.client ??= open(session)
    const client = await this.client
    let next: Request | null = { ...request, name: `projects/${session.project}`, pageSize }
    for (let pages = 0; next; pages++) {
      if (pages === pagesMax) throw gcpFault(new Error('endless'), { ...asked, project: session.project })
      const one: Request = next
      // The caller repeats and ends calls; pages are counted as calls.
      const [series, following] = await session.called(asked, ({ signal }) =>
        client.listTimeSeries(one, { autoPaginate: false, retry: null, signal }),
      )
      yield series
      next = following
    }
  }
}

async function open(session: GcpSession): Promise<MetricServiceClient> {
  const name = '@google-cloud/monitoring'
  const [{ MetricServiceClient: Client }, authClient] = await Promise.all([
    sdk(name, () => import('@google-cloud/monitoring')),
    session.authClient(),
  ])
  return new Client({ authClient, fallback: true, universeDomain: 'googleapis.com' })
}
