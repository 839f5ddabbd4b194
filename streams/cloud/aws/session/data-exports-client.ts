/** AWS Data Exports: one operation. Source: "AWS Billing and Cost Management API Reference". */
import { jsonCall, SignedCommand, SignedClient } from './signed-client.ts'

export class ListExportsCommand extends SignedCommand<
  { MaxResults: number; NextToken?: string },
  { Exports?: { ExportStatus?: { StatusCode?: string } }[]; NextToken?: string }
> {}

export class DataExportsClient extends SignedClient {
  protected readonly service = 'bcm-data-exports'
  protected callOf = (operation: string, input: object) =>
    jsonCall('AWSBillingAndCostManagementDataExports', operation, input)

  protected override get host(): string {
    return `https://bcm-data-exports.${this.config.region}.api.aws`
  }
}
