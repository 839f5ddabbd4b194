/** What the credentials of an account must allow so that its fleets can be scaled, by the names of its cloud. */
import type { Provider } from '#streams/names.ts'

const permissions: Readonly<Record<Provider, readonly string[]>> = {
  aws: [
    'application-autoscaling:DeleteScalingPolicy',
    'application-autoscaling:DescribeScalableTargets',
    'application-autoscaling:DescribeScalingPolicies',
    'application-autoscaling:RegisterScalableTarget',
    'autoscaling:DeletePolicy',
    'autoscaling:DescribeAutoScalingGroups',
    'autoscaling:DescribePolicies',
    'autoscaling:UpdateAutoScalingGroup',
    'cloudwatch:GetMetricData',
    'ecs:DescribeServices',
    'ecs:UpdateService',
    'events:PutRule',
    'events:PutTargets',
    'iam:CreateRole',
    'iam:PassRole',
    'iam:PutRolePolicy',
    'lambda:AddPermission',
    'lambda:CreateFunction',
    'lambda:GetFunction',
  ],
  gcp: [
    'compute.autoscalers.delete',
    'compute.autoscalers.list',
    'compute.instanceGroupManagers.get',
    'compute.instanceGroupManagers.update',
    'monitoring.timeSeries.list',
  ],
  azure: [
    'Microsoft.Compute/virtualMachineScaleSets/read',
    'Microsoft.Compute/virtualMachineScaleSets/write',
    'Microsoft.Databricks/workspaces/read',
    'Microsoft.Insights/autoscalesettings/delete',
    'Microsoft.Insights/autoscalesettings/read',
    'Microsoft.Insights/metrics/read',
  ],
}

export const requiredPermissions = (provider: Provider): readonly string[] => permissions[provider]
