/** Amazon GuardDuty: two operations. Source: "Amazon GuardDuty API Reference". */
import { SignedCommand, SignedClient } from './signed-client.ts'

export class ListDetectorsCommand extends SignedCommand<object, { detectorIds?: string[] }> {}
export class GetDetectorCommand extends SignedCommand<{ DetectorId: string }, { status?: string }> {}

export class GuardDutyClient extends SignedClient {
  protected readonly service = 'guardduty'
  protected callOf = (_: string, { DetectorId: id }: { DetectorId?: string }) => ({
    method: 'GET' as const,
    path: id === undefined ? '/detector' : `/detector/${encodeURIComponent(id)}`,
    body: '',
  })
}
