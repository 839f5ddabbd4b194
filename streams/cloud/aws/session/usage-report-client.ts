/** AWS Cost and Usage Reports, the older kind of exports: one operation. Source: "AWS Cost and Usage Report Service API". */
import { jsonCall, SignedCommand, SignedClient } from './signed-client.ts'

export class DescribeReportDefinitionsCommand extends SignedCommand<
  { NextToken?: string },
  { ReportDefinitions?: object[]; NextToken?: string }
> {}

export class UsageReportClient extends SignedClient {
  protected readonly service = 'cur'
  protected callOf = (operation: string, input: object) => jsonCall('AWSOrigamiServiceGatewayService', operation, input)
}
