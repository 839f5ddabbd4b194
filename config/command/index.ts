import { accountCommands } from '#config/command/cost/account.ts'
import { actionCommands } from '#config/command/automation/action.ts'
import { analystRightsCommand } from '#config/command/integration/analyst.ts'
import { analystShowCommand } from '#config/command/integration/analyst-show.ts'
import { autoscalerCommands } from '#config/command/automation/autoscaler.ts'
import { backupCommands } from '#config/command/operation/backup.ts'
import { billCommands } from '#config/command/cost/bill.ts'
import { chartCommand } from '#config/command/operation/chart.ts'
import { clientCommand } from '#config/command/integration/client.ts'
import { apiCommand } from '#config/command/integration/api.ts'
import type { Command } from '#config/command/line/command.ts'
import { configCommands } from '#config/command/operation/config.ts'
import { consoleCommand } from '#config/command/operation/console.ts'
import { deadLetterCommands } from '#config/command/operation/dead-letters.ts'
import { demoTour } from '#config/command/operation/demo.ts'
import { deploymentCommands } from '#config/command/deployment/deployment.ts'
import { installationCommands } from '#config/command/deployment/installation.ts'
import { exchangeRateCommands } from '#config/command/cost/exchange-rate.ts'
import { exportScheduleCommands } from '#config/command/cost/export-schedule.ts'
import { doctor } from '#config/command/operation/doctor.ts'
import { ingestBilling } from '#config/command/ingest/billing.ts'
import { ingestMetrics, ingestResources } from '#config/command/ingest/metrics-resources.ts'
import { keysRotate } from '#config/command/operation/keys.ts'
import { laneProcess } from '#config/command/operation/lane-process.ts'
import { mcpCommand } from '#config/command/integration/mcp.ts'
import { notificationCommands } from '#config/command/automation/notification.ts'
import { orgCommands } from '#config/command/access/org.ts'
import { patCommands } from '#config/command/access/pat.ts'
import { personCommands } from '#config/command/access/person.ts'
import { planCommands } from '#config/command/automation/plan.ts'
import { planCostCommand } from '#config/command/cost/plan-cost.ts'
import { configurationCommands } from '#config/command/configuration/apply.ts'
import { policyCommands } from '#config/command/configuration/policy.ts'
import { completionCommand } from '#config/command/integration/completion.ts'
import { profileCommands } from '#config/command/integration/profile.ts'
import { reportCommands } from '#config/command/cost/report.ts'
import { resourceCommands } from '#config/command/cost/resource.ts'
import { provisioningCommands } from '#config/command/deployment/provisioning.ts'
import { recommendationCommands } from '#config/command/automation/recommendation.ts'
import { pricesCommands } from '#config/command/cost/prices.ts'
import { rebuildCommand } from '#config/command/operation/rebuild.ts'
import { samlCommands } from '#config/command/access/saml.ts'
import { scheduleCommands } from '#config/command/automation/schedule.ts'
import { start } from '#config/command/operation/start.ts'
import { storesAccept } from '#config/command/operation/stores.ts'
import { natsAccounts, streamUserCommands } from '#config/command/integration/stream-user.ts'
import { tagCommands } from '#config/command/cost/tag.ts'
import { upgradeUndo } from '#config/command/operation/upgrade.ts'
import { userCommands, userResetSecondFactor } from '#config/command/access/user.ts'
import { workflowCommands } from '#config/command/automation/workflow.ts'

export const commands: readonly Command[] = [
  start,
  demoTour,
  laneProcess,
  ...configCommands,
  ...orgCommands,
  ...personCommands,
  ...patCommands,
  ...userCommands,
  consoleCommand,
  mcpCommand,
  clientCommand,
  apiCommand,
  ...profileCommands,
  completionCommand(() => commands),
  chartCommand,
  ...streamUserCommands,
  natsAccounts,
  userResetSecondFactor,
  keysRotate,
  ...samlCommands,
  ingestBilling,
  ingestMetrics,
  ingestResources,
  ...billCommands,
  ...accountCommands,
  ...reportCommands,
  ...resourceCommands,
  ...exportScheduleCommands,
  ...exchangeRateCommands,
  ...scheduleCommands,
  ...actionCommands,
  ...notificationCommands,
  ...planCommands,
  planCostCommand,
  ...policyCommands,
  ...configurationCommands,
  ...tagCommands,
  ...recommendationCommands,
  ...workflowCommands,
  ...autoscalerCommands,
  ...provisioningCommands,
  ...deploymentCommands,
  ...installationCommands,
  ...pricesCommands,
  ...deadLetterCommands,
  analystRightsCommand,
  analystShowCommand,
  doctor,
  ...backupCommands,
  storesAccept,
  rebuildCommand,
  upgradeUndo,
]
