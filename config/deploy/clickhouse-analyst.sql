-- Gives analysts access to this ClickHouse through the edges, limited to their own organization. Replace PASSWORD and run it as
-- a user with access management, and again after every upgrade that added tables. It assumes that both the database and the
-- service user are named tidemark. Then configure the edges: CLICKHOUSE_ANALYSTS_URL=http://tidemark_analyst:PASSWORD@HOST:8123
-- Printed by `tidemark analyst rights` from the existing tables.
--
-- The current database determines the visible rows: all rows in the database of the service, rows of one organization in
-- org_<id>. The edges create those databases and their views, which run as the service user (SQL SECURITY DEFINER).
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_fact USING currentDatabase() = 'tidemark' OR (x_OrgId = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_line_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.metric_sample USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_service_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.security_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36) AND endsWith(currentDatabase(), '_security')) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.team_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.team_assignment USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_group_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_group_member USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.accepted_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.billed_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_assignment USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.snapshot_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.saving_daily USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.unit_metric_value USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_day_kept USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_daily_kept USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.anomaly_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.scheduler_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_change USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.bill_line USING currentDatabase() = 'tidemark' OR (x_OrgId = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.state_history USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.action_submission USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.notification_delivery USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.allocated_resource USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.shared_cost_rule USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_allocation USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_shared_rule USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_share USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.recommendation_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.usage_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.workflow_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.policy_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.plan_log USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.fact_sheet USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_node USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_pod USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_object USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_cost_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_workload_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_namespace_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_month USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_idle_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.account_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.bill_shadow USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.sub_account_name USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_node_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_pod_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;

-- The edges validate every statement and apply these limits or lower ones. readonly is 2 because they set the output format.
CREATE SETTINGS PROFILE OR REPLACE analyst SETTINGS readonly = 2, max_execution_time = 10 MAX 10,
  max_memory_usage = 268435456 MAX 268435456, max_result_rows = 100000 MAX 100000, max_threads = 2 MAX 2,
  max_block_size = 1024 MAX 1024, function_range_max_elements_in_block = 10000000 MAX 10000000;
-- No access to tables or to system: requires select_from_system_db_requires_grant, which is the default configuration.
CREATE USER OR REPLACE tidemark_analyst IDENTIFIED WITH sha256_password BY 'PASSWORD' SETTINGS PROFILE 'analyst';
GRANT SELECT ON org_*.* TO tidemark_analyst;
-- That grant alone would list the databases of all organizations; these policies restrict it to the current one.
CREATE ROW POLICY OR REPLACE organization ON system.columns USING database = currentDatabase() TO tidemark_analyst;
CREATE ROW POLICY OR REPLACE organization ON system.databases USING name = currentDatabase() TO tidemark_analyst;
CREATE ROW POLICY OR REPLACE organization ON system.tables USING database = currentDatabase() TO tidemark_analyst;

-- The service creates the databases, and the views run with its rights.
GRANT CREATE DATABASE, CREATE VIEW, DROP DATABASE, SELECT ON org_*.* TO tidemark;
GRANT SET DEFINER ON tidemark TO tidemark;
