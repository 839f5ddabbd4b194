/** How a resource type is priced, or why it has no price. */
import type { Provider } from '#streams/names.ts'
import { awsParts } from './aws.ts'
import { azureParts } from './azure.ts'
import { googleParts } from './google.ts'
import { reasons, type PartsOf, type Reason } from './part.ts'

export type TerraformKind = { provider: Provider; partsOf: PartsOf } | { reason: Reason; why: string }

const providers = [
  ['aws', awsParts],
  ['gcp', googleParts],
  ['azure', azureParts],
] as const

export function kindOf(type: string): TerraformKind {
  for (const [provider, parts] of providers) {
    const partsOf = parts.get(type)
    if (partsOf) return { provider, partsOf }
  }
  const told = special.get(type)
  if (told) return { reason: told[0], why: told[1] }
  if (usage.has(type)) return { reason: 'usage', why: reasons.usage }
  if (free.has(type) || freePatterns.some((pattern) => pattern.test(type))) return { reason: 'free', why: reasons.free }
  return { reason: 'not_priced', why: reasons.not_priced }
}

const ratio = 'the price tables only have relative prices for its sizes'

const special: ReadonlyMap<string, readonly [Reason, string]> = new Map<string, readonly [Reason, string]>([
  ['aws_ecs_service', ['size_unknown', 'its size is defined in a task definition']],
  ['azurerm_lb_rule', ['not_priced', 'the first five rules are included in the price of the load balancer']],
  ['azurerm_postgresql_flexible_server', ['not_priced', ratio]],
  ['azurerm_mysql_flexible_server', ['not_priced', ratio]],
  ['azurerm_service_plan', ['not_priced', ratio]],
  ['azurerm_app_service_plan', ['not_priced', ratio]],
  ['azurerm_mssql_database', ['not_priced', ratio]],
  ['azurerm_mssql_elasticpool', ['not_priced', ratio]],
  ['azurerm_mssql_managed_instance', ['not_priced', ratio]],
])

const words = (text: string): string[] => text.trim().split(/\s+/)
const typesOf = (prefix: string, text: string): string[] => words(text).map((word) => `${prefix}_${word}`)

/** Charged by requests, traffic or stored data. */
const usage: ReadonlySet<string> = new Set([
  ...typesOf(
    'aws',
    `s3_bucket s3_object lambda_function sqs_queue sns_topic dynamodb_table cloudwatch_log_group ecr_repository
     cloudfront_distribution efs_file_system api_gateway_rest_api apigatewayv2_api ebs_snapshot ami kinesis_firehose_delivery_stream
     sfn_state_machine cloudwatch_event_bus athena_workgroup rds_cluster backup_vault elasticache_serverless_cache codebuild_project`,
  ),
  ...typesOf(
    'google',
    `storage_bucket storage_bucket_object pubsub_topic pubsub_subscription bigquery_dataset bigquery_table cloudfunctions_function
     cloudfunctions2_function cloud_run_service cloud_run_v2_service artifact_registry_repository compute_snapshot
     secret_manager_secret_version logging_project_sink firestore_database compute_image`,
  ),
  ...typesOf(
    'azurerm',
    `storage_account storage_container storage_blob key_vault_secret log_analytics_workspace application_insights linux_function_app
     windows_function_app eventgrid_topic snapshot cdn_profile cognitive_account image`,
  ),
])

/** Free by themselves: names, permissions, networks, settings of other resources. */
const free: ReadonlySet<string> = new Set([
  ...typesOf(
    'aws',
    `vpc subnet security_group security_group_rule vpc_security_group_ingress_rule vpc_security_group_egress_rule
     default_security_group default_vpc default_subnet default_route_table default_network_acl network_acl network_acl_rule
     route route_table route_table_association main_route_table_association internet_gateway egress_only_internet_gateway
     vpc_dhcp_options vpc_dhcp_options_association vpc_ipv4_cidr_block_association network_interface network_interface_attachment
     eip_association volume_attachment key_pair placement_group launch_template launch_configuration autoscaling_policy
     autoscaling_attachment autoscaling_schedule autoscaling_lifecycle_hook appautoscaling_target appautoscaling_policy
     lb_listener lb_listener_rule lb_listener_certificate lb_target_group lb_target_group_attachment alb_listener alb_listener_rule
     alb_target_group alb_target_group_attachment db_subnet_group db_parameter_group db_option_group rds_cluster_parameter_group
     elasticache_subnet_group elasticache_parameter_group msk_configuration opensearch_domain_policy ecs_cluster ecs_task_definition
     ecs_cluster_capacity_providers eks_addon eks_access_entry eks_access_policy_association eks_pod_identity_association
     lambda_permission lambda_alias lambda_layer_version lambda_event_source_mapping s3_bucket_policy s3_bucket_acl
     s3_bucket_public_access_block s3_bucket_ownership_controls s3_bucket_versioning s3_bucket_lifecycle_configuration
     s3_bucket_server_side_encryption_configuration s3_bucket_cors_configuration s3_bucket_logging s3_bucket_notification
     s3_bucket_website_configuration sqs_queue_policy sns_topic_policy sns_topic_subscription cloudwatch_event_rule
     cloudwatch_event_target cloudwatch_log_resource_policy kms_alias kms_key_policy ecr_lifecycle_policy ecr_repository_policy
     acm_certificate acm_certificate_validation route53_record ssm_document`,
  ),
  ...typesOf(
    'google',
    `project project_service compute_network compute_subnetwork compute_firewall compute_route compute_router
     compute_instance_template compute_region_instance_template compute_instance_group compute_attached_disk compute_health_check
     compute_region_health_check compute_http_health_check compute_backend_service compute_region_backend_service compute_url_map
     compute_region_url_map compute_target_http_proxy compute_target_https_proxy compute_autoscaler compute_region_autoscaler
     compute_resource_policy compute_project_metadata compute_ssl_certificate compute_managed_ssl_certificate
     compute_network_endpoint_group compute_network_peering service_account service_account_key sql_database sql_user
     service_networking_connection dns_record_set secret_manager_secret kms_key_ring`,
  ),
  ...typesOf(
    'azurerm',
    `resource_group virtual_network subnet network_security_group network_security_rule route_table route network_interface
     subnet_network_security_group_association subnet_route_table_association network_interface_security_group_association
     network_interface_backend_address_pool_association lb_backend_address_pool lb_probe lb_nat_rule role_assignment role_definition
     user_assigned_identity federated_identity_credential virtual_machine_data_disk_attachment virtual_machine_extension
     availability_set proximity_placement_group ssh_public_key key_vault key_vault_access_policy management_lock
     resource_provider_registration private_dns_zone_virtual_network_link mssql_server mssql_firewall_rule
     postgresql_flexible_server_database postgresql_flexible_server_firewall_rule postgresql_flexible_server_configuration
     mysql_flexible_database mysql_flexible_server_firewall_rule monitor_autoscale_setting monitor_diagnostic_setting`,
  ),
  'terraform_data',
])

/** Permissions, and providers that create nothing in a cloud. */
const freePatterns: readonly RegExp[] = [
  /^aws_iam_/,
  /^google_\w*_iam_(?:member|binding|policy|custom_role)$/,
  /^azuread_/,
  /^(?:random|null|time|tls|local|template|external|archive|cloudinit|http)_/,
]
