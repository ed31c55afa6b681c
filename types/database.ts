export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  api: {
    Tables: {
      [_ in never]: never;
    };
    Views: {
      [_ in never]: never;
    };
    Functions: {
      archive_lead: { Args: { lead_id: string; reason?: string }; Returns: Json };
      authenticate: { Args: { required_permission?: string }; Returns: Json };
      count_stranger: { Args: { address: string; key_prefix?: string }; Returns: Json };
      create_document: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_document_upload: {
        Args: { body: Json; document_id: string; idempotency_key?: string };
        Returns: Json;
      };
      create_hook: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_lead: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_offer: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_offer_link: { Args: { idempotency_key?: string; offer_id: string }; Returns: Json };
      create_operation: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_signature: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      create_viewing: { Args: { body: Json; idempotency_key?: string }; Returns: Json };
      delete_hook: { Args: { hook_id: string }; Returns: Json };
      drain_announce: { Args: { deliveries: Json; run_id: string }; Returns: Json };
      drain_begin: {
        Args: { calls_again?: boolean; continues?: string; share?: number; shares?: number };
        Returns: Json;
      };
      drain_claim: {
        Args: { busy_agencies: string[]; max_events: number; run_id: string };
        Returns: Json;
      };
      drain_finish: { Args: { run_id: string; summary: Json }; Returns: Json };
      drain_hand_over: { Args: { not_begun: string[]; run_id: string }; Returns: Json };
      drain_record: { Args: { done: Json; results: Json; run_id: string }; Returns: Json };
      drain_signing_secrets: { Args: { agency_ids: string[] }; Returns: Json };
      get_agent: { Args: { agent_id: string }; Returns: Json };
      get_document: { Args: { document_id: string }; Returns: Json };
      get_document_file: { Args: { document_id: string }; Returns: Json };
      get_lead: { Args: { lead_id: string }; Returns: Json };
      get_offer: { Args: { offer_id: string }; Returns: Json };
      get_operation: { Args: { operation_id: string }; Returns: Json };
      get_property: { Args: { property_id: string }; Returns: Json };
      get_public_offer: { Args: { public_token: string }; Returns: Json };
      get_signature: { Args: { signature_id: string }; Returns: Json };
      get_viewing: { Args: { viewing_id: string }; Returns: Json };
      health: { Args: Record<PropertyKey, never>; Returns: Json };
      intake_claim: { Args: { kind?: string; max_jobs: number }; Returns: Json };
      intake_continue: { Args: Record<PropertyKey, never>; Returns: Json };
      intake_qualified: {
        Args: { claim_id: string; job_id: string; qualification: Json };
        Returns: Json;
      };
      intake_release: { Args: { claim_id: string; job_ids: string[] }; Returns: Json };
      intake_retry: { Args: { claim_id: string; error: string; job_id: string }; Returns: Json };
      intake_screen: { Args: { claim_id: string; job_ids: string[] }; Returns: Json };
      intake_screened: {
        Args: { claim_id: string; entries: Json; job_id: string; source: string };
        Returns: Json;
      };
      list_agents: {
        Args: { active?: boolean; page_cursor?: string; page_limit?: number };
        Returns: Json;
      };
      list_documents: {
        Args: {
          kind?: string;
          lead_id?: string;
          operation_id?: string;
          page_cursor?: string;
          page_limit?: number;
          property_id?: string;
          status?: string;
        };
        Returns: Json;
      };
      list_flows: { Args: Record<PropertyKey, never>; Returns: Json };
      list_hooks: { Args: { page_cursor?: string; page_limit?: number }; Returns: Json };
      list_leads: {
        Args: {
          assigned_agent_id?: string;
          email?: string;
          include_archived?: boolean;
          origin?: string;
          page_cursor?: string;
          page_limit?: number;
          temperature?: string;
        };
        Returns: Json;
      };
      list_offers: {
        Args: {
          lead_id?: string;
          operation_id?: string;
          page_cursor?: string;
          page_limit?: number;
          status?: string;
        };
        Returns: Json;
      };
      list_operations: {
        Args: {
          lead_id?: string;
          open_only?: boolean;
          operation_type?: string;
          page_cursor?: string;
          page_limit?: number;
          stage?: string;
        };
        Returns: Json;
      };
      list_properties: {
        Args: {
          bedrooms_min?: number;
          city?: string;
          listing_type?: string;
          owner_lead_id?: string;
          page_cursor?: string;
          page_limit?: number;
          price_max?: number;
          price_min?: number;
          property_type?: string;
          reference?: string;
          status?: string;
          zone?: string;
        };
        Returns: Json;
      };
      list_signatures: {
        Args: {
          document_id?: string;
          operation_id?: string;
          page_cursor?: string;
          page_limit?: number;
          signer_email?: string;
          status?: string;
        };
        Returns: Json;
      };
      list_viewings: {
        Args: {
          agent_id?: string;
          lead_id?: string;
          operation_id?: string;
          page_cursor?: string;
          page_limit?: number;
          property_id?: string;
          starts_before?: string;
          starts_from?: string;
          status?: string;
        };
        Returns: Json;
      };
      mcp_advance_stage: { Args: { operation_id: string; patch?: Json }; Returns: Json };
      mcp_agenda: {
        Args: {
          agent_id?: string;
          mine?: boolean;
          page_limit?: number;
          starts_before?: string;
          starts_from?: string;
        };
        Returns: Json;
      };
      mcp_case_file: { Args: { lead_id: string }; Returns: Json };
      mcp_create_viewing: { Args: { body: Json }; Returns: Json };
      mcp_my_day: { Args: { page_limit?: number }; Returns: Json };
      mcp_search: { Args: { page_limit?: number; query: string }; Returns: Json };
      mcp_search_properties: {
        Args: { filters: Json; page_limit?: number; words: string[] };
        Returns: Json;
      };
      sample_hook: {
        Args: { event_type: string; page_cursor?: string; page_limit?: number };
        Returns: Json;
      };
      update_document: { Args: { document_id: string; patch: Json }; Returns: Json };
      update_lead: { Args: { lead_id: string; patch: Json }; Returns: Json };
      update_operation: { Args: { operation_id: string; patch: Json }; Returns: Json };
      update_signature: { Args: { patch: Json; signature_id: string }; Returns: Json };
      update_viewing: { Args: { patch: Json; viewing_id: string }; Returns: Json };
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
  public: {
    Tables: {
      agencies: {
        Row: {
          country: string;
          created_at: string;
          id: string;
          name: string;
          slug: string;
          time_zone: string;
        };
        ComputedFields: never;
        Insert: {
          country?: string;
          created_at?: string;
          id?: string;
          name: string;
          slug: string;
          time_zone?: string;
        };
        Update: {
          country?: string;
          created_at?: string;
          id?: string;
          name?: string;
          slug?: string;
          time_zone?: string;
        };
        Relationships: [];
      };
      agents: {
        Row: {
          accepts_leads: boolean;
          active: boolean;
          agency_id: string;
          created_at: string;
          email: string;
          id: string;
          last_assigned_at: string | null;
          name: string;
          role: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          accepts_leads?: boolean;
          active?: boolean;
          agency_id: string;
          created_at?: string;
          email: string;
          id?: string;
          last_assigned_at?: string | null;
          name: string;
          role?: string;
          user_id?: string | null;
        };
        Update: {
          accepts_leads?: boolean;
          active?: boolean;
          agency_id?: string;
          created_at?: string;
          email?: string;
          id?: string;
          last_assigned_at?: string | null;
          name?: string;
          role?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "agents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      api_keys: {
        Row: {
          agency_id: string;
          agent_id: string | null;
          created_at: string;
          expires_at: string | null;
          id: string;
          last_used_at: string | null;
          name: string;
          permissions: string[];
          prefix: string;
          revoked_at: string | null;
          secret_hash: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          agent_id?: string | null;
          created_at?: string;
          expires_at?: string | null;
          id?: string;
          last_used_at?: string | null;
          name: string;
          permissions: string[];
          prefix: string;
          revoked_at?: string | null;
          secret_hash: string;
        };
        Update: {
          agency_id?: string;
          agent_id?: string | null;
          created_at?: string;
          expires_at?: string | null;
          id?: string;
          last_used_at?: string | null;
          name?: string;
          permissions?: string[];
          prefix?: string;
          revoked_at?: string | null;
          secret_hash?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_keys_agency_id_agent_id_fkey";
            columns: ["agency_id", "agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "api_keys_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "api_keys_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      contact_merges: {
        Row: {
          agency_id: string;
          alias_ids: string[];
          id: string;
          kept_id: string;
          lead_ids: string[];
          merged_at: string;
          merged_by: string;
          merged_id: string;
          undone_at: string | null;
          undone_by: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          alias_ids: string[];
          id?: string;
          kept_id: string;
          lead_ids: string[];
          merged_at?: string;
          merged_by: string;
          merged_id: string;
          undone_at?: string | null;
          undone_by?: string | null;
        };
        Update: {
          agency_id?: string;
          alias_ids?: string[];
          id?: string;
          kept_id?: string;
          lead_ids?: string[];
          merged_at?: string;
          merged_by?: string;
          merged_id?: string;
          undone_at?: string | null;
          undone_by?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_merges_agency_id_kept_id_fkey";
            columns: ["agency_id", "kept_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "contact_merges_agency_id_merged_id_fkey";
            columns: ["agency_id", "merged_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      contact_suggestions: {
        Row: {
          agency_id: string;
          contact_id: string;
          created_at: string;
          decided_at: string | null;
          decided_by: string | null;
          id: string;
          reasons: string[];
          score: number;
          similar_id: string;
          status: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          contact_id: string;
          created_at?: string;
          decided_at?: string | null;
          decided_by?: string | null;
          id?: string;
          reasons: string[];
          score: number;
          similar_id: string;
          status?: string;
        };
        Update: {
          agency_id?: string;
          contact_id?: string;
          created_at?: string;
          decided_at?: string | null;
          decided_by?: string | null;
          id?: string;
          reasons?: string[];
          score?: number;
          similar_id?: string;
          status?: string;
        };
        Relationships: [
          {
            foreignKeyName: "contact_suggestions_agency_id_contact_id_fkey";
            columns: ["agency_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "contact_suggestions_agency_id_similar_id_fkey";
            columns: ["agency_id", "similar_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      contacts: {
        Row: {
          agency_id: string;
          birth_date: string | null;
          compared_at: string | null;
          created_at: string;
          email: string | null;
          email_is_valid: boolean | null;
          full_name: string;
          id: string;
          merged_into: string | null;
          nationality: string | null;
          phone: string | null;
          phone_e164: string | null;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          birth_date?: string | null;
          compared_at?: string | null;
          created_at?: string;
          email?: string | null;
          email_is_valid?: never;
          full_name: string;
          id?: string;
          merged_into?: string | null;
          nationality?: string | null;
          phone?: string | null;
          phone_e164?: never;
          updated_at?: string;
        };
        Update: {
          agency_id?: string;
          birth_date?: string | null;
          compared_at?: string | null;
          created_at?: string;
          email?: string | null;
          email_is_valid?: never;
          full_name?: string;
          id?: string;
          merged_into?: string | null;
          nationality?: string | null;
          phone?: string | null;
          phone_e164?: never;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "contacts_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contacts_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
          {
            foreignKeyName: "contacts_agency_id_merged_into_fkey";
            columns: ["agency_id", "merged_into"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      deliveries: {
        Row: {
          agency_id: string;
          attempt: number;
          duration_ms: number | null;
          error: string | null;
          error_detail: string | null;
          event_id: string;
          id: string;
          round: number;
          run_id: string;
          started_at: string;
          state: string;
          status_code: number | null;
          subscription_id: string;
          target_url: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          attempt: number;
          duration_ms?: number | null;
          error?: string | null;
          error_detail?: string | null;
          event_id: string;
          id?: string;
          round: number;
          run_id: string;
          started_at?: string;
          state?: string;
          status_code?: number | null;
          subscription_id: string;
          target_url: string;
        };
        Update: {
          agency_id?: string;
          attempt?: number;
          duration_ms?: number | null;
          error?: string | null;
          error_detail?: string | null;
          event_id?: string;
          id?: string;
          round?: number;
          run_id?: string;
          started_at?: string;
          state?: string;
          status_code?: number | null;
          subscription_id?: string;
          target_url?: string;
        };
        Relationships: [
          {
            foreignKeyName: "deliveries_agency_id_event_id_fkey";
            columns: ["agency_id", "event_id"];
            isOneToOne: false;
            referencedRelation: "events";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "deliveries_agency_id_event_id_fkey";
            columns: ["agency_id", "event_id"];
            isOneToOne: false;
            referencedRelation: "failed_deliveries";
            referencedColumns: ["agency_id", "event_id"];
          },
        ];
      };
      documents: {
        Row: {
          agency_id: string;
          completed_at: string | null;
          content_type: string | null;
          created_at: string;
          id: string;
          kind: string;
          lead_id: string | null;
          name: string | null;
          operation_id: string | null;
          property_id: string | null;
          size_bytes: number | null;
          status: string;
          storage_path: string | null;
          updated_at: string;
          uploaded_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          completed_at?: string | null;
          content_type?: string | null;
          created_at?: string;
          id?: string;
          kind?: string;
          lead_id?: string | null;
          name?: string | null;
          operation_id?: string | null;
          property_id?: string | null;
          size_bytes?: number | null;
          status?: string;
          storage_path?: string | null;
          updated_at?: string;
          uploaded_at?: string | null;
        };
        Update: {
          agency_id?: string;
          completed_at?: string | null;
          content_type?: string | null;
          created_at?: string;
          id?: string;
          kind?: string;
          lead_id?: string | null;
          name?: string | null;
          operation_id?: string | null;
          property_id?: string | null;
          size_bytes?: number | null;
          status?: string;
          storage_path?: string | null;
          updated_at?: string;
          uploaded_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "documents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "documents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
          {
            foreignKeyName: "documents_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "documents_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
          {
            foreignKeyName: "documents_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "documents_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
          {
            foreignKeyName: "documents_agency_id_property_id_fkey";
            columns: ["agency_id", "property_id"];
            isOneToOne: false;
            referencedRelation: "properties";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      drain_runs: {
        Row: {
          accepted: number;
          calls_again: boolean;
          claimed: number;
          continues: string | null;
          delivered: number;
          due_before: string;
          error: string | null;
          failed: number;
          finished_at: string | null;
          handed_over_at: string | null;
          id: string;
          posted: number;
          reclaimed: number;
          released: number;
          share: number;
          shares: number;
          started_at: string;
          to_retry: number;
        };
        ComputedFields: never;
        Insert: {
          accepted?: number;
          calls_again?: boolean;
          claimed?: number;
          continues?: string | null;
          delivered?: number;
          due_before?: string;
          error?: string | null;
          failed?: number;
          finished_at?: string | null;
          handed_over_at?: string | null;
          id?: string;
          posted?: number;
          reclaimed?: number;
          released?: number;
          share?: number;
          shares?: number;
          started_at?: string;
          to_retry?: number;
        };
        Update: {
          accepted?: number;
          calls_again?: boolean;
          claimed?: number;
          continues?: string | null;
          delivered?: number;
          due_before?: string;
          error?: string | null;
          failed?: number;
          finished_at?: string | null;
          handed_over_at?: string | null;
          id?: string;
          posted?: number;
          reclaimed?: number;
          released?: number;
          share?: number;
          shares?: number;
          started_at?: string;
          to_retry?: number;
        };
        Relationships: [];
      };
      events: {
        Row: {
          agency_id: string;
          attempts: number;
          available_at: string;
          body: string | null;
          delivered_at: string | null;
          event_type: string;
          id: string;
          lease_until: string | null;
          lost_claims: number;
          queued_at: string;
          reason: string | null;
          round: number;
          run_id: string | null;
          status: string;
          subject_id: string;
          subscription_ids: string[];
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          attempts?: number;
          available_at?: string;
          body?: string | null;
          delivered_at?: string | null;
          event_type: string;
          id?: string;
          lease_until?: string | null;
          lost_claims?: number;
          queued_at?: string;
          reason?: string | null;
          round?: number;
          run_id?: string | null;
          status?: string;
          subject_id: string;
          subscription_ids: string[];
        };
        Update: {
          agency_id?: string;
          attempts?: number;
          available_at?: string;
          body?: string | null;
          delivered_at?: string | null;
          event_type?: string;
          id?: string;
          lease_until?: string | null;
          lost_claims?: number;
          queued_at?: string;
          reason?: string | null;
          round?: number;
          run_id?: string | null;
          status?: string;
          subject_id?: string;
          subscription_ids?: string[];
        };
        Relationships: [
          {
            foreignKeyName: "events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      flows: {
        Row: {
          id: string;
          label: string;
          operation_type: string;
          side: string;
        };
        ComputedFields: never;
        Insert: {
          id: string;
          label: string;
          operation_type: string;
          side?: string;
        };
        Update: {
          id?: string;
          label?: string;
          operation_type?: string;
          side?: string;
        };
        Relationships: [];
      };
      gate_steps: {
        Row: {
          by_hand: string | null;
          closed_by: string[];
          flow: string;
          id: string;
          label: string;
          position: number;
          stage: string;
        };
        ComputedFields: never;
        Insert: {
          by_hand?: string | null;
          closed_by?: string[];
          flow: string;
          id: string;
          label: string;
          position: number;
          stage: string;
        };
        Update: {
          by_hand?: string | null;
          closed_by?: string[];
          flow?: string;
          id?: string;
          label?: string;
          position?: number;
          stage?: string;
        };
        Relationships: [
          {
            foreignKeyName: "gate_steps_flow_stage_fkey";
            columns: ["flow", "stage"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["flow_id", "stage_id"];
          },
          {
            foreignKeyName: "gate_steps_flow_stage_fkey";
            columns: ["flow", "stage"];
            isOneToOne: false;
            referencedRelation: "stages";
            referencedColumns: ["flow", "id"];
          },
        ];
      };
      idempotency_keys: {
        Row: {
          agency_id: string;
          answer: Json | null;
          credential_id: string;
          expires_at: string;
          key: string;
          request_hash: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          answer?: Json | null;
          credential_id: string;
          expires_at?: string;
          key: string;
          request_hash: string;
        };
        Update: {
          agency_id?: string;
          answer?: Json | null;
          credential_id?: string;
          expires_at?: string;
          key?: string;
          request_hash?: string;
        };
        Relationships: [
          {
            foreignKeyName: "idempotency_keys_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "idempotency_keys_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      intake_jobs: {
        Row: {
          agency_id: string;
          attempts: number;
          available_at: string;
          claim_id: string | null;
          created_at: string;
          id: string;
          last_error: string | null;
          message_id: string | null;
          screen_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          attempts?: number;
          available_at?: string;
          claim_id?: string | null;
          created_at?: string;
          id?: string;
          last_error?: string | null;
          message_id?: string | null;
          screen_id?: string | null;
        };
        Update: {
          agency_id?: string;
          attempts?: number;
          available_at?: string;
          claim_id?: string | null;
          created_at?: string;
          id?: string;
          last_error?: string | null;
          message_id?: string | null;
          screen_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "intake_jobs_agency_id_message_id_fkey";
            columns: ["agency_id", "message_id"];
            isOneToOne: false;
            referencedRelation: "messages";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "intake_jobs_agency_id_screen_id_fkey";
            columns: ["agency_id", "screen_id"];
            isOneToOne: false;
            referencedRelation: "possible_sanctions_matches";
            referencedColumns: ["agency_id", "screen_id"];
          },
          {
            foreignKeyName: "intake_jobs_agency_id_screen_id_fkey";
            columns: ["agency_id", "screen_id"];
            isOneToOne: false;
            referencedRelation: "sanctions_screens";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      leads: {
        Row: {
          agency_id: string;
          archive_reason: string | null;
          archived_at: string | null;
          assigned_agent_id: string | null;
          bedrooms_min: number | null;
          budget_max: number | null;
          contact_id: string;
          created_at: string;
          email: string | null;
          email_is_valid: boolean | null;
          email_key: string | null;
          full_name: string;
          id: string;
          intent: string | null;
          language: string | null;
          lead_status: string | null;
          notes: string | null;
          operation_id: string | null;
          origin: string;
          phone: string | null;
          phone_e164: string | null;
          summary: string | null;
          temperature: string | null;
          updated_at: string;
          urgency: string | null;
          zone: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          archive_reason?: string | null;
          archived_at?: string | null;
          assigned_agent_id?: string | null;
          bedrooms_min?: number | null;
          budget_max?: number | null;
          contact_id: string;
          created_at?: string;
          email?: string | null;
          email_is_valid?: never;
          email_key?: never;
          full_name: string;
          id?: string;
          intent?: string | null;
          language?: string | null;
          lead_status?: string | null;
          notes?: string | null;
          operation_id?: string | null;
          origin?: string;
          phone?: string | null;
          phone_e164?: never;
          summary?: string | null;
          temperature?: string | null;
          updated_at?: string;
          urgency?: string | null;
          zone?: string | null;
        };
        Update: {
          agency_id?: string;
          archive_reason?: string | null;
          archived_at?: string | null;
          assigned_agent_id?: string | null;
          bedrooms_min?: number | null;
          budget_max?: number | null;
          contact_id?: string;
          created_at?: string;
          email?: string | null;
          email_is_valid?: never;
          email_key?: never;
          full_name?: string;
          id?: string;
          intent?: string | null;
          language?: string | null;
          lead_status?: string | null;
          notes?: string | null;
          operation_id?: string | null;
          origin?: string;
          phone?: string | null;
          phone_e164?: never;
          summary?: string | null;
          temperature?: string | null;
          updated_at?: string;
          urgency?: string | null;
          zone?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "leads_agency_id_assigned_agent_id_fkey";
            columns: ["agency_id", "assigned_agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "leads_agency_id_contact_id_fkey";
            columns: ["agency_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "leads_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "leads_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
        ];
      };
      listings: {
        Row: {
          agency_id: string;
          created_at: string;
          id: string;
          portal: string;
          property_id: string;
          status: string;
          updated_at: string;
          url: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          created_at?: string;
          id?: string;
          portal?: string;
          property_id: string;
          status?: string;
          updated_at?: string;
          url?: string | null;
        };
        Update: {
          agency_id?: string;
          created_at?: string;
          id?: string;
          portal?: string;
          property_id?: string;
          status?: string;
          updated_at?: string;
          url?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "listings_agency_id_property_id_fkey";
            columns: ["agency_id", "property_id"];
            isOneToOne: false;
            referencedRelation: "properties";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      messages: {
        Row: {
          agency_id: string;
          body: string;
          channel: string;
          created_at: string;
          direction: string;
          id: string;
          lead_id: string;
          qualification_status: string | null;
          subject: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          body: string;
          channel: string;
          created_at?: string;
          direction: string;
          id?: string;
          lead_id: string;
          qualification_status?: string | null;
          subject?: string | null;
        };
        Update: {
          agency_id?: string;
          body?: string;
          channel?: string;
          created_at?: string;
          direction?: string;
          id?: string;
          lead_id?: string;
          qualification_status?: string | null;
          subject?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "messages_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "messages_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
        ];
      };
      offers: {
        Row: {
          accepted_at: string | null;
          agency_id: string;
          amount: number;
          created_at: string;
          currency: string;
          id: string;
          lead_id: string;
          notes: string | null;
          offer_type: string;
          operation_id: string;
          property_id: string;
          public_token: string;
          status: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          accepted_at?: string | null;
          agency_id: string;
          amount: number;
          created_at?: string;
          currency?: string;
          id?: string;
          lead_id: string;
          notes?: string | null;
          offer_type: string;
          operation_id: string;
          property_id: string;
          public_token?: string;
          status?: string;
          updated_at?: string;
        };
        Update: {
          accepted_at?: string | null;
          agency_id?: string;
          amount?: number;
          created_at?: string;
          currency?: string;
          id?: string;
          lead_id?: string;
          notes?: string | null;
          offer_type?: string;
          operation_id?: string;
          property_id?: string;
          public_token?: string;
          status?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "offers_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "offers_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
          {
            foreignKeyName: "offers_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "offers_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
          {
            foreignKeyName: "offers_agency_id_property_id_fkey";
            columns: ["agency_id", "property_id"];
            isOneToOne: false;
            referencedRelation: "properties";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      operation_steps: {
        Row: {
          agency_id: string;
          amount: number | null;
          done: boolean;
          done_at: string | null;
          flow: string;
          id: string;
          operation_id: string;
          step_id: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          amount?: number | null;
          done?: boolean;
          done_at?: string | null;
          flow: string;
          id?: string;
          operation_id: string;
          step_id: string;
        };
        Update: {
          agency_id?: string;
          amount?: number | null;
          done?: boolean;
          done_at?: string | null;
          flow?: string;
          id?: string;
          operation_id?: string;
          step_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "operation_steps_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "operation_steps_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
          {
            foreignKeyName: "operation_steps_flow_step_id_fkey";
            columns: ["flow", "step_id"];
            isOneToOne: false;
            referencedRelation: "gate_steps";
            referencedColumns: ["flow", "id"];
          },
        ];
      };
      operations: {
        Row: {
          agency_id: string;
          closed_at: string | null;
          created_at: string;
          deposit_paid_at: string | null;
          flow: string;
          id: string;
          lead_id: string;
          lost_reason: string | null;
          operation_type: string;
          property_id: string | null;
          stage: string;
          updated_at: string;
          won_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          closed_at?: string | null;
          created_at?: string;
          deposit_paid_at?: string | null;
          flow: string;
          id?: string;
          lead_id: string;
          lost_reason?: string | null;
          operation_type: string;
          property_id?: string | null;
          stage: string;
          updated_at?: string;
          won_at?: string | null;
        };
        Update: {
          agency_id?: string;
          closed_at?: string | null;
          created_at?: string;
          deposit_paid_at?: string | null;
          flow?: string;
          id?: string;
          lead_id?: string;
          lost_reason?: string | null;
          operation_type?: string;
          property_id?: string | null;
          stage?: string;
          updated_at?: string;
          won_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "operations_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "operations_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
          {
            foreignKeyName: "operations_agency_id_property_id_fkey";
            columns: ["agency_id", "property_id"];
            isOneToOne: false;
            referencedRelation: "properties";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "operations_flow_stage_fkey";
            columns: ["flow", "stage"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["flow_id", "stage_id"];
          },
          {
            foreignKeyName: "operations_flow_stage_fkey";
            columns: ["flow", "stage"];
            isOneToOne: false;
            referencedRelation: "stages";
            referencedColumns: ["flow", "id"];
          },
          {
            foreignKeyName: "operations_operation_type_fkey";
            columns: ["operation_type"];
            isOneToOne: false;
            referencedRelation: "flows";
            referencedColumns: ["operation_type"];
          },
        ];
      };
      properties: {
        Row: {
          agency_id: string;
          area_m2: number | null;
          bathrooms: number | null;
          bedrooms: number | null;
          city: string | null;
          city_key: string | null;
          created_at: string;
          description: string | null;
          id: string;
          listing_type: string;
          owner_lead_id: string | null;
          postal_code: string | null;
          price: number | null;
          price_cents: number | null;
          property_type: string;
          reference: string | null;
          search: unknown;
          status: string;
          street: string | null;
          title: string | null;
          updated_at: string;
          zone: string | null;
          zone_key: string | null;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          area_m2?: number | null;
          bathrooms?: number | null;
          bedrooms?: number | null;
          city?: string | null;
          city_key?: never;
          created_at?: string;
          description?: string | null;
          id?: string;
          listing_type: string;
          owner_lead_id?: string | null;
          postal_code?: string | null;
          price?: number | null;
          price_cents?: never;
          property_type?: string;
          reference?: string | null;
          search?: never;
          status?: string;
          street?: string | null;
          title?: string | null;
          updated_at?: string;
          zone?: string | null;
          zone_key?: never;
        };
        Update: {
          agency_id?: string;
          area_m2?: number | null;
          bathrooms?: number | null;
          bedrooms?: number | null;
          city?: string | null;
          city_key?: never;
          created_at?: string;
          description?: string | null;
          id?: string;
          listing_type?: string;
          owner_lead_id?: string | null;
          postal_code?: string | null;
          price?: number | null;
          price_cents?: never;
          property_type?: string;
          reference?: string | null;
          search?: never;
          status?: string;
          street?: string | null;
          title?: string | null;
          updated_at?: string;
          zone?: string | null;
          zone_key?: never;
        };
        Relationships: [
          {
            foreignKeyName: "properties_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "properties_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
          {
            foreignKeyName: "properties_agency_id_owner_lead_id_fkey";
            columns: ["agency_id", "owner_lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "properties_agency_id_owner_lead_id_fkey";
            columns: ["agency_id", "owner_lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
        ];
      };
      qualifications: {
        Row: {
          agency_id: string;
          answer: string | null;
          created_at: string;
          duration_ms: number | null;
          error: string | null;
          filled: string[];
          id: string;
          lead_id: string;
          message_id: string;
          qualifier: string;
          result: Json | null;
          status: string;
          version: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          answer?: string | null;
          created_at?: string;
          duration_ms?: number | null;
          error?: string | null;
          filled?: string[];
          id?: string;
          lead_id: string;
          message_id: string;
          qualifier: string;
          result?: Json | null;
          status: string;
          version: string;
        };
        Update: {
          agency_id?: string;
          answer?: string | null;
          created_at?: string;
          duration_ms?: number | null;
          error?: string | null;
          filled?: string[];
          id?: string;
          lead_id?: string;
          message_id?: string;
          qualifier?: string;
          result?: Json | null;
          status?: string;
          version?: string;
        };
        Relationships: [
          {
            foreignKeyName: "qualifications_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "qualifications_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
          {
            foreignKeyName: "qualifications_agency_id_message_id_fkey";
            columns: ["agency_id", "message_id"];
            isOneToOne: false;
            referencedRelation: "messages";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
      rate_limits: {
        Row: {
          agency_id: string;
          credential_id: string;
          id: string;
          requests_per_minute: number;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          credential_id: string;
          id?: string;
          requests_per_minute?: number;
        };
        Update: {
          agency_id?: string;
          credential_id?: string;
          id?: string;
          requests_per_minute?: number;
        };
        Relationships: [
          {
            foreignKeyName: "rate_limits_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "rate_limits_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      request_buckets: {
        Row: {
          full_at: string;
          key: string;
        };
        ComputedFields: never;
        Insert: {
          full_at: string;
          key: string;
        };
        Update: {
          full_at?: string;
          key?: string;
        };
        Relationships: [];
      };
      required_dates: {
        Row: {
          column_name: string;
          flow: string;
          id: string;
          label: string;
          refusal: string;
        };
        ComputedFields: never;
        Insert: {
          column_name: string;
          flow: string;
          id: string;
          label: string;
          refusal: string;
        };
        Update: {
          column_name?: string;
          flow?: string;
          id?: string;
          label?: string;
          refusal?: string;
        };
        Relationships: [
          {
            foreignKeyName: "required_dates_flow_fkey";
            columns: ["flow"];
            isOneToOne: false;
            referencedRelation: "flows";
            referencedColumns: ["id"];
          },
        ];
      };
      sanctions_entries: {
        Row: {
          aliases: string[];
          birth_dates: string[];
          changed_at: string;
          countries: string[];
          datasets: string[];
          first_seen: string | null;
          id: string;
          last_seen: string | null;
          name: string;
          sanctions: string | null;
          schema: string;
        };
        ComputedFields: never;
        Insert: {
          aliases?: string[];
          birth_dates?: string[];
          changed_at?: string;
          countries?: string[];
          datasets?: string[];
          first_seen?: string | null;
          id: string;
          last_seen?: string | null;
          name: string;
          sanctions?: string | null;
          schema: string;
        };
        Update: {
          aliases?: string[];
          birth_dates?: string[];
          changed_at?: string;
          countries?: string[];
          datasets?: string[];
          first_seen?: string | null;
          id?: string;
          last_seen?: string | null;
          name?: string;
          sanctions?: string | null;
          schema?: string;
        };
        Relationships: [];
      };
      sanctions_loads: {
        Row: {
          added: number;
          changed: number;
          entries: number;
          file_name: string;
          id: string;
          loaded_at: string;
          removed: number;
          screens_started: number;
        };
        ComputedFields: never;
        Insert: {
          added: number;
          changed: number;
          entries: number;
          file_name: string;
          id?: string;
          loaded_at?: string;
          removed: number;
          screens_started: number;
        };
        Update: {
          added?: number;
          changed?: number;
          entries?: number;
          file_name?: string;
          id?: string;
          loaded_at?: string;
          removed?: number;
          screens_started?: number;
        };
        Relationships: [];
      };
      sanctions_names: {
        Row: {
          entry_id: string;
          name: string;
          words: string[];
        };
        ComputedFields: never;
        Insert: {
          entry_id: string;
          name: string;
          words?: string[];
        };
        Update: {
          entry_id?: string;
          name?: string;
          words?: string[];
        };
        Relationships: [
          {
            foreignKeyName: "sanctions_names_entry_id_fkey";
            columns: ["entry_id"];
            isOneToOne: false;
            referencedRelation: "sanctions_entries";
            referencedColumns: ["id"];
          },
        ];
      };
      sanctions_screens: {
        Row: {
          agency_id: string;
          birth_date: string | null;
          contact_id: string;
          country: string | null;
          created_at: string;
          entries: Json | null;
          error: string | null;
          id: string;
          lead_id: string;
          resolution: string | null;
          resolution_at: string | null;
          resolution_by: string | null;
          resolution_reason: string | null;
          resolved_at: string | null;
          score: number | null;
          screened_name: string | null;
          source: string | null;
          status: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          birth_date?: string | null;
          contact_id: string;
          country?: string | null;
          created_at?: string;
          entries?: Json | null;
          error?: string | null;
          id?: string;
          lead_id: string;
          resolution?: string | null;
          resolution_at?: string | null;
          resolution_by?: string | null;
          resolution_reason?: string | null;
          resolved_at?: string | null;
          score?: number | null;
          screened_name?: string | null;
          source?: string | null;
          status?: string;
        };
        Update: {
          agency_id?: string;
          birth_date?: string | null;
          contact_id?: string;
          country?: string | null;
          created_at?: string;
          entries?: Json | null;
          error?: string | null;
          id?: string;
          lead_id?: string;
          resolution?: string | null;
          resolution_at?: string | null;
          resolution_by?: string | null;
          resolution_reason?: string | null;
          resolved_at?: string | null;
          score?: number | null;
          screened_name?: string | null;
          source?: string | null;
          status?: string;
        };
        Relationships: [
          {
            foreignKeyName: "sanctions_screens_agency_id_contact_id_fkey";
            columns: ["agency_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "sanctions_screens_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "sanctions_screens_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
        ];
      };
      sanctions_words: {
        Row: {
          keys: string[];
          sounds: string[];
          word: string;
        };
        ComputedFields: never;
        Insert: {
          keys?: string[];
          sounds?: string[];
          word: string;
        };
        Update: {
          keys?: string[];
          sounds?: string[];
          word?: string;
        };
        Relationships: [];
      };
      signatures: {
        Row: {
          agency_id: string;
          created_at: string;
          document_id: string | null;
          id: string;
          operation_id: string | null;
          signed_at: string | null;
          signer_email: string | null;
          signer_name: string | null;
          status: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          created_at?: string;
          document_id?: string | null;
          id?: string;
          operation_id?: string | null;
          signed_at?: string | null;
          signer_email?: string | null;
          signer_name?: string | null;
          status?: string;
          updated_at?: string;
        };
        Update: {
          agency_id?: string;
          created_at?: string;
          document_id?: string | null;
          id?: string;
          operation_id?: string | null;
          signed_at?: string | null;
          signer_email?: string | null;
          signer_name?: string | null;
          status?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "signatures_agency_id_document_id_fkey";
            columns: ["agency_id", "document_id"];
            isOneToOne: false;
            referencedRelation: "documents";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "signatures_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "signatures_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
          {
            foreignKeyName: "signatures_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "signatures_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
        ];
      };
      stage_history: {
        Row: {
          actor_id: string | null;
          actor_kind: string;
          actor_name: string;
          agency_id: string;
          from_stage: string | null;
          id: number;
          occurred_at: string;
          operation_id: string;
          to_stage: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          actor_kind: string;
          actor_name: string;
          agency_id: string;
          from_stage?: string | null;
          id?: never;
          occurred_at?: string;
          operation_id: string;
          to_stage: string;
        };
        Update: {
          actor_id?: string | null;
          actor_kind?: string;
          actor_name?: string;
          agency_id?: string;
          from_stage?: string | null;
          id?: never;
          occurred_at?: string;
          operation_id?: string;
          to_stage?: string;
        };
        Relationships: [
          {
            foreignKeyName: "stage_history_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "stage_history_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
        ];
      };
      stages: {
        Row: {
          flow: string;
          id: string;
          label: string;
          outcome: string | null;
          position: number;
          requires: string | null;
          requires_reason: boolean;
        };
        ComputedFields: never;
        Insert: {
          flow: string;
          id: string;
          label: string;
          outcome?: string | null;
          position: number;
          requires?: string | null;
          requires_reason?: boolean;
        };
        Update: {
          flow?: string;
          id?: string;
          label?: string;
          outcome?: string | null;
          position?: number;
          requires?: string | null;
          requires_reason?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: "stages_flow_fkey";
            columns: ["flow"];
            isOneToOne: false;
            referencedRelation: "flows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "stages_flow_requires_fkey";
            columns: ["flow", "requires"];
            isOneToOne: false;
            referencedRelation: "required_dates";
            referencedColumns: ["flow", "id"];
          },
        ];
      };
      subscriptions: {
        Row: {
          agency_id: string;
          created_at: string;
          event_type: string;
          id: string;
          target_url: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          created_at?: string;
          event_type: string;
          id?: string;
          target_url: string;
        };
        Update: {
          agency_id?: string;
          created_at?: string;
          event_type?: string;
          id?: string;
          target_url?: string;
        };
        Relationships: [
          {
            foreignKeyName: "subscriptions_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "subscriptions_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      token_rules: {
        Row: {
          blocked_client_ids: string[];
          issuer: string | null;
          only_row: boolean;
          resource: string | null;
        };
        ComputedFields: never;
        Insert: {
          blocked_client_ids?: string[];
          issuer?: string | null;
          only_row?: boolean;
          resource?: string | null;
        };
        Update: {
          blocked_client_ids?: string[];
          issuer?: string | null;
          only_row?: boolean;
          resource?: string | null;
        };
        Relationships: [];
      };
      viewings: {
        Row: {
          agency_id: string;
          agent_id: string | null;
          created_at: string;
          ends_at: string;
          id: string;
          lead_id: string;
          notes: string | null;
          operation_id: string | null;
          property_id: string;
          starts_at: string;
          status: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          agency_id: string;
          agent_id?: string | null;
          created_at?: string;
          ends_at: string;
          id?: string;
          lead_id: string;
          notes?: string | null;
          operation_id?: string | null;
          property_id: string;
          starts_at: string;
          status?: string;
          updated_at?: string;
        };
        Update: {
          agency_id?: string;
          agent_id?: string | null;
          created_at?: string;
          ends_at?: string;
          id?: string;
          lead_id?: string;
          notes?: string | null;
          operation_id?: string | null;
          property_id?: string;
          starts_at?: string;
          status?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "viewings_agency_id_agent_id_fkey";
            columns: ["agency_id", "agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "viewings_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "viewings_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
          {
            foreignKeyName: "viewings_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "operations";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "viewings_agency_id_operation_id_fkey";
            columns: ["agency_id", "operation_id"];
            isOneToOne: false;
            referencedRelation: "stuck_operations";
            referencedColumns: ["agency_id", "operation_id"];
          },
          {
            foreignKeyName: "viewings_agency_id_property_id_fkey";
            columns: ["agency_id", "property_id"];
            isOneToOne: false;
            referencedRelation: "properties";
            referencedColumns: ["agency_id", "id"];
          },
        ];
      };
    };
    Views: {
      failed_deliveries: {
        Row: {
          agency: string;
          agency_id: string;
          attempts: number;
          error: string | null;
          error_detail: string | null;
          event_id: string;
          event_type: string;
          last_attempt_at: string;
          queued_at: string;
          reason: string | null;
          replay: string | null;
          status_code: number | null;
          subject_id: string;
          target: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "pipeline_by_stage";
            referencedColumns: ["agency_id"];
          },
        ];
      };
      leads_without_agent: {
        Row: {
          agency: string;
          agency_id: string;
          client: string;
          days_waiting: number | null;
          email: string | null;
          former_agent: string | null;
          lead_id: string;
          open_operations: string | null;
          origin: string;
          phone: string | null;
          since: string;
          temperature: string | null;
          wishes: string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      pipeline_by_stage: {
        Row: {
          agency: string;
          agency_id: string;
          average_days: number | null;
          flow: string;
          flow_id: string;
          held_by_gate: number | null;
          longest_since: string | null;
          operations: number | null;
          outcome: string | null;
          position: number;
          stage: string;
          stage_id: string;
          value: number | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "stages_flow_fkey";
            columns: ["flow_id"];
            isOneToOne: false;
            referencedRelation: "flows";
            referencedColumns: ["id"];
          },
        ];
      };
      possible_sanctions_matches: {
        Row: {
          agency: string;
          agency_id: string;
          agent: string | null;
          birth_date: string | null;
          candidates: number | null;
          client: string;
          days_waiting: number | null;
          lead_id: string;
          listed_as: string | null;
          listed_birth_dates: Json | null;
          listed_countries: Json | null;
          nationality: string | null;
          resolution: string | null;
          resolution_by: string | null;
          sanctions: string | null;
          score: number | null;
          screen_id: string;
          since: string;
          source: string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "sanctions_screens_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "sanctions_screens_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
        ];
      };
      stuck_operations: {
        Row: {
          agency: string;
          agency_id: string;
          agent: string | null;
          client: string;
          days_in_stage: number | null;
          email: string | null;
          flow: string;
          in_stage_since: string | null;
          lead_id: string;
          operation_id: string;
          pending_steps: string | null;
          phone: string | null;
          property: string | null;
          stage: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "operations_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "operations_agency_id_lead_id_fkey";
            columns: ["agency_id", "lead_id"];
            isOneToOne: false;
            referencedRelation: "leads_without_agent";
            referencedColumns: ["agency_id", "lead_id"];
          },
        ];
      };
    };
    Functions: {
      [_ in never]: never;
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R;
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R;
      }
      ? R
      : never
    : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I;
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I;
      }
      ? I
      : never
    : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U;
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U;
      }
      ? U
      : never
    : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never;

export const Constants = {
  api: {
    Enums: {},
  },
  public: {
    Enums: {},
  },
} as const;
