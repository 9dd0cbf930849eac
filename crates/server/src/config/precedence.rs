//! Which setting wins: flags and the environment over the file.

use super::file::{ConfigError, read};
use super::{Config, Settings};

impl Settings {
    /// Adds the settings file, fills in the defaults and checks every value.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        self.with_file()?.check()
    }

    pub(super) fn with_file(self) -> Result<Self, ConfigError> {
        let file = self.config.as_deref().map(read).transpose()?;
        Ok(self.or(file.unwrap_or_default()))
    }

    fn or(self, file: Self) -> Self {
        Self {
            config: self.config,
            listen: self.listen.or(file.listen),
            tls_certificate: self.tls_certificate.or(file.tls_certificate),
            tls_key: self.tls_key.or(file.tls_key),
            database: self.database.or(file.database),
            database_connections: self.database_connections.or(file.database_connections),
            public_url: self.public_url.or(file.public_url),
            provider: self.provider.or(file.provider),
            provider_url: self.provider_url.or(file.provider_url),
            provider_public_url: self.provider_public_url.or(file.provider_public_url),
            provider_key_file: self.provider_key_file.or(file.provider_key_file),
            provider_key: self.provider_key.or(file.provider_key),
            provider_timeout_ms: self.provider_timeout_ms.or(file.provider_timeout_ms),
            provider_grace_ms: self.provider_grace_ms.or(file.provider_grace_ms),
            reconcile_interval_ms: self.reconcile_interval_ms.or(file.reconcile_interval_ms),
            challenge_timeout_ms: self.challenge_timeout_ms.or(file.challenge_timeout_ms),
            request_timeout_ms: self.request_timeout_ms.or(file.request_timeout_ms),
            drain_ms: self.drain_ms.or(file.drain_ms),
            head_timeout_ms: self.head_timeout_ms.or(file.head_timeout_ms),
            connections_max: self.connections_max.or(file.connections_max),
            connections_per_address_max: self
                .connections_per_address_max
                .or(file.connections_per_address_max),
            device_data_timeout_ms: self.device_data_timeout_ms.or(file.device_data_timeout_ms),
            client_secret_lifetime_seconds: self
                .client_secret_lifetime_seconds
                .or(file.client_secret_lifetime_seconds),
            charge_lifetime_seconds: self.charge_lifetime_seconds.or(file.charge_lifetime_seconds),
            client_ip_header: self.client_ip_header.or(file.client_ip_header),
            client_ip_proxies: self.client_ip_proxies.or(file.client_ip_proxies),
            render_engines: self.render_engines.or(file.render_engines),
            render_time_ms: self.render_time_ms.or(file.render_time_ms),
            vault_key_file: self.vault_key_file.or(file.vault_key_file),
            vault_keys: self.vault_keys.or(file.vault_keys),
            strict_permissions: self.strict_permissions.or(file.strict_permissions),
            audit_name: self.audit_name.or(file.audit_name),
            limit_per_charge: self.limit_per_charge.or(file.limit_per_charge),
            limit_per_address: self.limit_per_address.or(file.limit_per_address),
            limit_per_card: self.limit_per_card.or(file.limit_per_card),
            limit_per_partner: self.limit_per_partner.or(file.limit_per_partner),
            webhook_interval_ms: self.webhook_interval_ms.or(file.webhook_interval_ms),
            accept_plain_cards: self.accept_plain_cards.or(file.accept_plain_cards),
            accept_unsigned_payloads: self.accept_unsigned_payloads.or(file.accept_unsigned_payloads),
            webhook_private_networks: self.webhook_private_networks.or(file.webhook_private_networks),
            locale_strategy: self.locale_strategy.or(file.locale_strategy),
            root_redirect: self.root_redirect.or(file.root_redirect),
            root_redirect_status: self.root_redirect_status.or(file.root_redirect_status),
            locale_cookie_cross_origin: self
                .locale_cookie_cross_origin
                .or(file.locale_cookie_cross_origin),
            tracking: self.tracking.or(file.tracking),
            experimentation_mode: self.experimentation_mode.or(file.experimentation_mode),
            session_timeout_ms: self.session_timeout_ms.or(file.session_timeout_ms),
            event_topic: self.event_topic.or(file.event_topic),
            event_retention_days: self.event_retention_days.or(file.event_retention_days),
            event_storage_mb: self.event_storage_mb.or(file.event_storage_mb),
            limit_events_per_address: self.limit_events_per_address.or(file.limit_events_per_address),
            operator_key_file: self.operator_key_file.or(file.operator_key_file),
            operator_key: self.operator_key.or(file.operator_key),
            visit_retention_days: self.visit_retention_days.or(file.visit_retention_days),
            otlp_endpoint: self.otlp_endpoint.or(file.otlp_endpoint),
            dynamic_environment_suffix: self
                .dynamic_environment_suffix
                .or(file.dynamic_environment_suffix),
            event_sink: self.event_sink.or(file.event_sink),
            kafka_brokers: self.kafka_brokers.or(file.kafka_brokers),
            kafka_tls: self.kafka_tls.or(file.kafka_tls),
            kafka_root_certificates: self.kafka_root_certificates.or(file.kafka_root_certificates),
            kafka_user: self.kafka_user.or(file.kafka_user),
            kafka_password_file: self.kafka_password_file.or(file.kafka_password_file),
            kafka_password: self.kafka_password.or(file.kafka_password),
            kafka_sasl_mechanism: self.kafka_sasl_mechanism.or(file.kafka_sasl_mechanism),
            features_file: self.features_file.or(file.features_file),
            features_url: self.features_url.or(file.features_url),
            features_client_key: self.features_client_key.or(file.features_client_key),
            features_decryption_key: self.features_decryption_key.or(file.features_decryption_key),
            features_refresh_seconds: self.features_refresh_seconds.or(file.features_refresh_seconds),
            features_copy: self.features_copy.or(file.features_copy),
            ip_lookup_url: self.ip_lookup_url.or(file.ip_lookup_url),
            fraud_script_url: self.fraud_script_url.or(file.fraud_script_url),
            fraud_script_origins: self.fraud_script_origins.or(file.fraud_script_origins),
            fraud_token_cookie: self.fraud_token_cookie.or(file.fraud_token_cookie),
            fraud_token_cookie_days: self.fraud_token_cookie_days.or(file.fraud_token_cookie_days),
            route_rules: if self.route_rules.is_empty() {
                file.route_rules
            } else {
                self.route_rules
            },
        }
    }
}
