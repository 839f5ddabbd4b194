import { expect } from 'chai'
import { azureFault, AzureRefusal } from '#streams/cloud/azure/session/fault.ts'
import { bucketOf } from '#streams/cloud/connector.ts'

const asked = { operation: 'GET Microsoft.Compute/disks', permission: 'Microsoft.Compute/disks/read' }
const told = (status: number, word: string, said = word) => {
  const fault = azureFault(new AzureRefusal(status, word, said), asked)
  return `${bucketOf(fault)} ${fault.code}`
}

describe('an error of Azure', () => {
  it('is told by its word, by its status where the word is not known', () => {
    const cases: [number, string, string][] = [
      [429, 'TooManyRequests', 'transient throttled'],
      [429, 'SubscriptionRequestsThrottled', 'transient throttled'],
      [429, '', 'transient throttled'],
      [401, 'ExpiredAuthenticationToken', 'user_action credentials_expired'],
      [401, 'InvalidAuthenticationTokenTenant', 'user_action credentials_refused'],
      [403, 'AuthorizationFailed', 'user_action permission_missing'],
      [403, 'AuthorizationPermissionMismatch', 'user_action permission_missing'],
      [403, 'LinkedAuthorizationFailed', 'user_action permission_missing'],
      [403, 'RequestDisallowedByPolicy', 'user_action rejected'],
      [409, 'ScopeLocked', 'user_action rejected'],
      [404, 'ResourceNotFound', 'user_action not_found'],
      [404, 'ResourceGroupNotFound', 'user_action not_found'],
      [404, 'SubscriptionNotFound', 'user_action not_found'],
      [404, '', 'user_action not_found'],
      [409, 'MissingSubscriptionRegistration', 'user_action not_registered'],
      [400, 'InvalidResourceType', 'user_action not_registered'],
      [409, 'AnotherOperationInProgress', 'transient busy'],
      [409, 'ResourceGroupBeingDeleted', 'transient busy'],
      [409, 'ReferencedResourceNotProvisioned', 'transient busy'],
      [409, 'ResourceGroupDeletionBlocked', 'user_action rejected'],
      [409, 'Conflict', 'user_action rejected'],
      [500, 'InternalServerError', 'transient cloud_unavailable'],
      [409, 'ZonalAllocationFailed', 'transient cloud_unavailable'],
      [503, '', 'transient cloud_unavailable'],
      [400, 'QuotaExceeded', 'user_action quota_exceeded'],
      [400, 'PublicIPCountLimitReached', 'user_action quota_exceeded'],
      [400, 'ErrCode_InsufficientVCPUQuota', 'user_action quota_exceeded'],
      [409, 'OperationNotAllowed', 'user_action rejected'],
      [400, 'InvalidParameter', 'user_action rejected'],
      [412, 'ConditionNotMet', 'transient replaced'],
      [302, '', 'system unknown_answer'],
    ]
    expect(cases.map(([status, word]) => [status, word, told(status, word)])).to.deep.equal(cases)
    const quota = 'Operation could not be completed as it results in exceeding approved Total Regional Cores quota.'
    expect(told(409, 'OperationNotAllowed', quota)).to.equal('user_action quota_exceeded')
  })

  it('names the right that Azure says is lacking, else that of the call, and how to allow it', () => {
    const said =
      "The client 'x' does not have authorization to perform action 'Microsoft.Network/publicIPAddresses/join/action' over scope '/s'."
    expect(azureFault(new AzureRefusal(403, 'LinkedAuthorizationFailed', said), asked).detail).to.include({
      permission: 'Microsoft.Network/publicIPAddresses/join/action',
    })
    expect(azureFault(new AzureRefusal(403, 'AuthorizationFailed', 'No.'), asked).detail).to.include({
      permission: 'Microsoft.Compute/disks/read',
      fixHint:
        'Allow Microsoft.Compute/disks/read in the role of the application. To print the complete role, run tidemark account policy azure.',
    })
  })
})
