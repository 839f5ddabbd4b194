/**
 * A client for AWS Organizations: seven operations, in the shape of an SDK client. Source: "AWS Organizations API Reference"
 * and the protocol AWS JSON 1.1.
 */
import { jsonCall, SignedCommand, SignedClient } from './signed-client.ts'

interface Page {
  NextToken?: string
}

interface Account {
  Id?: string
  Name?: string
  /** `ACTIVE`, `SUSPENDED`, `PENDING_CLOSURE`. */
  Status?: string
  /** More precise than Status, if AWS sends it: also `PENDING_ACTIVATION`, `CLOSED`. */
  State?: string
}

interface Unit {
  Id?: string
  Name?: string
}

export class DescribeOrganizationCommand extends SignedCommand<
  object,
  { Organization?: { Id?: string; MasterAccountId?: string } }
> {}
export class ListRootsCommand extends SignedCommand<Page, Page & { Roots?: Unit[] }> {}
export class ListOrganizationalUnitsForParentCommand extends SignedCommand<
  Page & { ParentId: string },
  Page & { OrganizationalUnits?: Unit[] }
> {}
export class ListAccountsForParentCommand extends SignedCommand<
  Page & { ParentId: string },
  Page & { Accounts?: Account[] }
> {}
export class ListTagsForResourceCommand extends SignedCommand<
  Page & { ResourceId: string },
  Page & { Tags?: { Key?: string; Value?: string }[] }
> {}

export class OrganizationsClient extends SignedClient {
  protected readonly service = 'organizations'
  protected callOf = (operation: string, input: object) => jsonCall('AWSOrganizationsV20161128', operation, input)
}
